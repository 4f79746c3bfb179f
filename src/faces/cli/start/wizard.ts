import { withoutUndefined } from "../../../lib/json/plain-data.ts";
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
class Left extends Error {}

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
  tell: (text: string) => void,
): Promise<void> {
  for (;;) {
    const written = await setup.written();
    const step = await prompts.choose(
      "What do you want to do?",
      [...possible(written), "done"],
      true,
    );
    if (step === declined || step === "done" || step === undefined) return;
    try {
      tell(await steps[step as keyof typeof steps]({ setup, prompts, written, tell }));
    } catch (thrown) {
      if (thrown instanceof Left) tell("Nothing was changed.");
      else if (thrown instanceof PlaneError) tell(`Nothing was changed. ${thrown.message}`);
      else throw thrown;
    }
  }
}

function possible({ servers, toolsets }: WrittenEntries): string[] {
  const isThere = (step: string) =>
    step === "add a server" ||
    (step === "add a toolset" || step.includes("server")
      ? Object.keys(servers)
      : Object.keys(toolsets)
    ).length > 0;
  return Object.keys(steps).filter(isThere);
}

type WizardContext = {
  setup: WizardSetup;
  prompts: Prompts;
  written: WrittenEntries;
  tell(text: string): void;
};

/** Asks until the answer fits; an empty one is undefined. */
async function write(
  { prompts, tell }: WizardContext,
  message: string,
  { usual, check = () => null }: { usual?: string; check?(text: string): string | null },
): Promise<string> {
  for (;;) {
    const given = await prompts.write(message, {
      ...withoutUndefined({ usual }),
      isRequired: false,
    });
    if (given === declined) throw new Left();
    const text = (given ?? "").trim();
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
  if (typeof chosen !== "string") throw new Left();
  return chosen;
}

const newName = (taken: object, what: string) => (text: string) => {
  if (text === "") return `A ${what} needs a name.`;
  return Object.hasOwn(taken, text)
    ? `There is a ${what} '${text}' already. Choose another name, or change that one.`
    : null;
};

async function addServer(asking: WizardContext): Promise<string> {
  const { setup, written } = asking;
  const name = await write(asking, "Name of the server", {
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
async function askServer(asking: WizardContext, before: JsonObject): Promise<JsonObject> {
  const { command, args, env, url, transport, headers, ...kept } = before;
  const isRemote = url !== undefined;
  const first = isRemote ? (transport === "sse" ? "sse" : "http") : "stdio";
  const kind = await choose(asking, "How is it reached?", [
    first,
    ...kinds.filter((one) => one !== first),
  ]);
  if (kind !== "stdio") {
    const usual = isRemote ? { usual: String(url) } : {};
    const address = await write(asking, "URL", { ...usual, check: urlProblem });
    const asked = await askPairs(
      asking,
      "Headers as NAME=value, separated by commas (optional)",
      headers,
    );
    return {
      ...kept,
      url: address,
      ...(kind === "sse" ? { transport: "sse" } : {}),
      ...withHeld("headers", asked),
    };
  }
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(
    (word) => typeof word === "string",
  );
  const line = await write(asking, "Command and arguments", {
    ...(words.length > 0 ? { usual: words.map(quoted).join(" ") } : {}),
    check: (text) => (text === "" ? "A command is needed, as in: npx -y some-server" : null),
  });
  const [program = "", ...rest] = wordsIn(line);
  const asked = await askPairs(
    asking,
    "Variables as NAME=value, separated by commas (optional)",
    env,
  );
  return {
    ...kept,
    command: program,
    ...(rest.length > 0 ? { args: rest } : {}),
    ...withHeld("env", asked),
  };
}

const urlProblem = (text: string) =>
  /^https?:\/\/./i.test(text) && URL.canParse(text)
    ? null
    : "That is not a URL; start it with http:// or https://";
const withHeld = (key: string, pairs: JsonObject) =>
  Object.keys(pairs).length > 0 ? { [key]: pairs } : {};
const quoted = (word: unknown) =>
  /[\s"]/.test(String(word)) ? JSON.stringify(word) : String(word);

function wordsIn(line: string): string[] {
  const words = line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...words].map(
    ([, double, single, plain]) => double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? plain ?? "",
  );
}

/** A comma before another NAME= separates; others belong to the value. */
async function askPairs(
  asking: WizardContext,
  message: string,
  before: unknown,
): Promise<JsonObject> {
  const known = Object.entries(isObject(before) ? before : {}).map(
    ([name, value]) => `${name}=${String(value)}`,
  );
  const split = (text: string) => (text === "" ? [] : text.split(/,\s*(?=[\w-]+=)/));
  const text = await write(asking, message, {
    ...(known.length > 0 ? { usual: known.join(",") } : {}),
    check(given) {
      const wrong = split(given).find((pair) => !/^[\w-]+=/.test(pair));
      return wrong === undefined ? null : `'${wrong.slice(0, 20)}' is not NAME=value.`;
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
  const name = await write(asking, "Name of the toolset", {
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

async function askToolset(asking: WizardContext, before: JsonObject): Promise<JsonObject> {
  const known = Object.keys(asking.written.servers);
  const {
    providers,
    allow_tools: allowed,
    max_tool_call_turns: turns,
    timeout_sec: timeout,
    ...kept
  } = before;
  const usual = (value: unknown) =>
    value === undefined || value === null
      ? {}
      : { usual: Array.isArray(value) ? value.join(",") : String(value) };
  const servers = await write(asking, `Servers, separated by commas (${known.join(", ")})`, {
    ...usual(providers ?? known),
    check(text) {
      const strange = names(text).find((name) => !known.includes(name));
      if (strange !== undefined) return `There is no server '${strange}'.`;
      return names(text).length === 0 ? "A toolset needs a server." : null;
    },
  });
  const tools = await write(asking, "Tools, separated by commas (empty: all)", usual(allowed));
  const maxTurns = await write(asking, "Turns with tools (empty: the default)", {
    ...usual(turns),
    check: (text) => (text === "" || /^[1-9]\d*$/.test(text) ? null : "Give an integer >= 1."),
  });
  const seconds = await write(asking, "Seconds for a call (empty: the default)", {
    ...usual(timeout),
    check: (text) => (text === "" || Number(text) > 0 ? null : "Give a number above 0."),
  });
  return {
    ...kept,
    providers: names(servers),
    ...(tools === "" ? {} : { allow_tools: names(tools) }),
    ...(maxTurns === "" ? {} : { max_tool_call_turns: Number(maxTurns) }),
    ...(seconds === "" ? {} : { timeout_sec: Number(seconds) }),
  };
}

async function confirm({ prompts }: WizardContext, message: string): Promise<void> {
  if ((await prompts.confirm(message, false)) !== true) throw new Left();
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
  const all = Object.keys(asking.written[kind]);
  await confirm(asking, `Delete ${all.join(", ")}?`);
  for (const name of all) await remove(asking, kind, name);
  return `Removed ${all.join(", ")}.`;
}
