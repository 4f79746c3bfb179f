import { hasMembers, withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { Setup, WrittenEntries } from "../../../model/config/setup.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject } from "../../../model/json.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { openSetup } from "../commands/config.ts";
import { print } from "../terminal/output.ts";
import { canBeAsked, declined, type Prompts, terminalPrompts } from "../terminal/questions.ts";

type WizardSetup = Pick<
  Setup,
  "written" | "putServer" | "removeServer" | "putToolset" | "removeToolset"
>;

/** The person leaves the question, and with it the step. */
class QuestionLeft extends Error {}

const steps = {
  "add a server": addServer,
  "change a server": (asking: WizardContext) => changeServer(asking),
  "delete a server": (asking: WizardContext) => removeOne(asking, "servers"),
  "delete all servers": (asking: WizardContext) => removeAll(asking, "servers"),
  "add a toolset": addToolset,
  "change a toolset": (asking: WizardContext) => changeToolset(asking),
  "delete a toolset": (asking: WizardContext) => removeOne(asking, "toolsets"),
  "delete all toolsets": (asking: WizardContext) => removeAll(asking, "toolsets"),
} as const satisfies Record<string, (asking: WizardContext) => Promise<string>>;

export async function runWizard(cli: Cli, options: GlobalOptions): Promise<void> {
  if (options.json || !canBeAsked())
    throw new PlaneError(
      "USAGE",
      "The wizard asks at a terminal. Use 'servers add' and 'servers remove' in scripts.",
    );
  await askThrough(await openSetup(cli, options), terminalPrompts, print);
}

/** Until the person is done; each step writes at once. */
export async function askThrough(
  setup: WizardSetup,
  prompts: Prompts,
  print: (text: string) => void,
): Promise<void> {
  for (;;) {
    const written = await setup.written();
    const step = await prompts.choose(
      "What do you want to do?",
      [...possibleSteps(written), "done"],
      true,
    );
    if (step === declined || step === "done" || step === undefined) return;
    try {
      print(await steps[step as keyof typeof steps]({ setup, prompts, written, tell: print }));
    } catch (thrown) {
      if (thrown instanceof QuestionLeft) print("Nothing was changed.");
      else if (thrown instanceof PlaneError) print(`Nothing was changed. ${thrown.message}`);
      else throw thrown;
    }
  }
}

function possibleSteps({ servers, toolsets }: WrittenEntries): string[] {
  const isPossible = (step: string) => {
    if (step === "add a server") return true;
    if (step === "add a toolset" || step.includes("server")) return hasMembers(servers);
    return hasMembers(toolsets);
  };
  return Object.keys(steps).filter(isPossible);
}

type WizardContext = {
  setup: WizardSetup;
  prompts: Prompts;
  written: WrittenEntries;
  tell(text: string): void;
};

/** Asks until the answer fits; an empty one is undefined. */
async function askText(
  { prompts, tell }: WizardContext,
  message: string,
  { usual, check = () => null }: { usual?: string; check?(text: string): string | null },
): Promise<string> {
  for (;;) {
    const answer = await prompts.write(message, {
      ...withoutUndefined({ usual }),
      isRequired: false,
    });
    if (answer === declined) throw new QuestionLeft();
    const text = (answer ?? "").trim();
    const problem = check(text);
    if (problem === null) return text;
    tell(problem);
  }
}

async function choose(
  { prompts }: WizardContext,
  message: string,
  values: readonly string[],
): Promise<string> {
  const chosen = await prompts.choose(message, values, true);
  if (typeof chosen !== "string") throw new QuestionLeft();
  return chosen;
}

const newName = (existing: object, kind: string) => (text: string) => {
  if (text === "") return `A ${kind} needs a name.`;
  if (!Object.hasOwn(existing, text)) return null;
  return `There is a ${kind} '${text}' already. Choose another name, or change that one.`;
};

async function addServer(asking: WizardContext): Promise<string> {
  const { setup, written } = asking;
  const name = await askText(asking, "Name of the server", {
    check: newName(written.servers, "server"),
  });
  const { path } = await setup.putServer(name, await askServer(asking, {}));
  return `Added '${name}' to ${path}. Try it: toolplane doctor ${name}`;
}

async function changeServer(asking: WizardContext): Promise<string> {
  const { setup, written } = asking;
  const name = await choose(asking, "Which server?", Object.keys(written.servers));
  const { path } = await setup.putServer(
    name,
    await askServer(asking, written.servers[name] ?? {}),
  );
  return `Changed '${name}' in ${path}.`;
}

const kinds = ["stdio", "http", "sse"];

/** What is not asked for stays as it is. */
async function askServer(asking: WizardContext, serverBefore: JsonObject): Promise<JsonObject> {
  const { command, args, env, url, transport, headers, ...unasked } = serverBefore;
  const isRemote = url !== undefined;
  const remoteKind = transport === "sse" ? "sse" : "http";
  const kindBefore = isRemote ? remoteKind : "stdio";
  const kind = await choose(asking, "How is it reached?", [
    kindBefore,
    ...kinds.filter((candidate) => candidate !== kindBefore),
  ]);
  if (kind !== "stdio") {
    const usual = isRemote && { usual: String(url) };
    const newUrl = await askText(asking, "URL", { ...usual, check: urlProblem });
    const newHeaders = await askPairs(
      asking,
      "Headers as NAME=value, separated by commas (optional)",
      headers,
    );
    return {
      ...unasked,
      url: newUrl,
      ...(kind === "sse" && { transport: "sse" }),
      ...underKey("headers", newHeaders),
    };
  }
  const usualWords = [command, ...(Array.isArray(args) ? args : [])].filter(
    (part) => typeof part === "string",
  );
  const line = await askText(asking, "Command and arguments", {
    ...(usualWords.length > 0 && { usual: usualWords.map(quoted).join(" ") }),
    check: (text) => (text === "" ? "A command is needed, as in: npx -y some-server" : null),
  });
  const [program = "", ...programArgs] = splitCommand(line);
  const newVariables = await askPairs(
    asking,
    "Variables as NAME=value, separated by commas (optional)",
    env,
  );
  return {
    ...unasked,
    command: program,
    ...(programArgs.length > 0 && { args: programArgs }),
    ...underKey("env", newVariables),
  };
}

const urlProblem = (text: string) => {
  if (/^https?:\/\/./i.test(text) && URL.canParse(text)) return null;
  return "That is not a URL; start it with http:// or https://";
};
const underKey = (key: string, pairs: JsonObject) => hasMembers(pairs) && { [key]: pairs };
const quoted = (part: unknown) =>
  /[\s"]/.test(String(part)) ? JSON.stringify(part) : String(part);

function splitCommand(line: string): string[] {
  const parts = line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...parts].map(
    ([, double, single, plain]) => double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? plain ?? "",
  );
}

/** A comma before another NAME= separates; others belong to the value. */
async function askPairs(
  asking: WizardContext,
  message: string,
  before: unknown,
): Promise<JsonObject> {
  const pairsBefore = Object.entries(isObject(before) ? before : {}).map(
    ([name, value]) => `${name}=${String(value)}`,
  );
  const split = (text: string) => (text === "" ? [] : text.split(/,\s*(?=[\w-]+=)/));
  const text = await askText(asking, message, {
    ...(pairsBefore.length > 0 && { usual: pairsBefore.join(",") }),
    check(text) {
      const malformed = split(text).find((pair) => !/^[\w-]+=/.test(pair));
      if (malformed === undefined) return null;
      return `'${malformed.slice(0, 20)}' is not NAME=value.`;
    },
  });
  return Object.fromEntries(
    split(text).map((pair) => [
      pair.slice(0, pair.indexOf("=")),
      pair.slice(pair.indexOf("=") + 1),
    ]),
  );
}

async function addToolset(asking: WizardContext): Promise<string> {
  const { setup, written } = asking;
  const name = await askText(asking, "Name of the toolset", {
    check: newName(written.toolsets, "toolset"),
  });
  const { path } = await setup.putToolset(name, await askToolset(asking, {}));
  return `Added '${name}' to ${path}.`;
}

async function changeToolset(asking: WizardContext): Promise<string> {
  const { setup, written } = asking;
  const name = await choose(asking, "Which toolset?", Object.keys(written.toolsets));
  const { path } = await setup.putToolset(
    name,
    await askToolset(asking, written.toolsets[name] ?? {}),
  );
  return `Changed '${name}' in ${path}.`;
}

const names = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

async function askToolset(asking: WizardContext, toolsetBefore: JsonObject): Promise<JsonObject> {
  const serverNames = Object.keys(asking.written.servers);
  const {
    providers,
    allow_tools: allowed,
    max_tool_call_turns: turns,
    timeout_sec: timeout,
    ...unasked
  } = toolsetBefore;
  const usual = (value: unknown) => {
    if (value === undefined || value === null) return {};
    return { usual: Array.isArray(value) ? value.join(",") : String(value) };
  };
  const servers = await askText(
    asking,
    `Servers, separated by commas (${serverNames.join(", ")})`,
    {
      ...usual(providers ?? serverNames),
      check(text) {
        const unknown = names(text).find((name) => !serverNames.includes(name));
        if (unknown !== undefined) return `There is no server '${unknown}'.`;
        return names(text).length === 0 ? "A toolset needs a server." : null;
      },
    },
  );
  const tools = await askText(asking, "Tools, separated by commas (empty: all)", usual(allowed));
  const maxTurns = await askText(asking, "Turns with tools (empty: the default)", {
    ...usual(turns),
    check: (text) => (text === "" || /^[1-9]\d*$/.test(text) ? null : "Give an integer >= 1."),
  });
  const seconds = await askText(asking, "Seconds for a call (empty: the default)", {
    ...usual(timeout),
    check: (text) => (text === "" || Number(text) > 0 ? null : "Give a number above 0."),
  });
  return {
    ...unasked,
    providers: names(servers),
    ...(tools !== "" && { allow_tools: names(tools) }),
    ...(maxTurns !== "" && { max_tool_call_turns: Number(maxTurns) }),
    ...(seconds !== "" && { timeout_sec: Number(seconds) }),
  };
}

async function confirm({ prompts }: WizardContext, message: string): Promise<void> {
  if ((await prompts.confirm(message, false)) !== true) throw new QuestionLeft();
}

type Kind = keyof WrittenEntries;

const remove = ({ setup }: WizardContext, kind: Kind, name: string) =>
  kind === "servers" ? setup.removeServer(name) : setup.removeToolset(name);

async function removeOne(asking: WizardContext, kind: Kind): Promise<string> {
  const name = await choose(asking, "Which one?", Object.keys(asking.written[kind]));
  await confirm(asking, `Delete '${name}'?`);
  const { path } = await remove(asking, kind, name);
  return `Removed '${name}' from ${path}.`;
}

async function removeAll(asking: WizardContext, kind: Kind): Promise<string> {
  const names = Object.keys(asking.written[kind]);
  await confirm(asking, `Delete ${names.join(", ")}?`);
  for (const name of names) await remove(asking, kind, name);
  return `Removed ${names.join(", ")}.`;
}
