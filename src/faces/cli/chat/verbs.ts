import { writeFile } from "node:fs/promises";
import { fileErrorText } from "../../../lib/files.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { agentStyles } from "../../../model/agent/agent-run.ts";
import { type Outcome, policyModes } from "../../../model/calls/call.ts";
import type { HeldView } from "../../../model/calls/held-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import { howToConfigureModel } from "../agent/agent.ts";
import { renderArguments } from "../commands/approvals.ts";
import { findByPrefix, shortenIds } from "../terminal/ids.ts";
import { exitCodeOf, printOutcome } from "../terminal/outcome.ts";
import { colors, print } from "../terminal/output.ts";
import { type Chat, type ChatCommand, newConversation, usage } from "./chat-state.ts";
import { requireKnown } from "./commands.ts";

const which = "[N|all|ID]";

/** Short for commands. */
export const mcpVerbs: Readonly<Record<string, (words: string[]) => string[]>> = {
  list: () => ["servers", "list"],
  connect: (words) => ["servers", "connect", ...words],
  disconnect: (words) => ["servers", "disconnect", ...words],
  tools: (words) => ["tools", "list", "--quality", ...ofServer(words)],
  search: (words) => ["search", ...words, "--limit", "10"],
  stats: (words) => ["stats", ...ofServer(words)],
};

function ofServer([server, ...options]: string[]): string[] {
  if (server === undefined) return [];
  return server.startsWith("-") ? [server, ...options] : ["--server", server, ...options];
}

const mcp: ChatCommand = {
  usage: `[${Object.keys(mcpVerbs).join("|")}]`,
  about: "short for /servers list, connect, disconnect, /tools list, /search and /stats",
  run({ commands }, [word = "list", ...words]) {
    requireKnown(word, Object.keys(mcpVerbs), "mcp ");
    return commands.run(mcpVerbs[word]?.(words) ?? []);
  },
};

const plan: ChatCommand = {
  usage: "[on|off|show]",
  about: "queue writes instead of making them; show the queue",
  async run(chat, words) {
    const [word, ...others] = words;
    const isOwn =
      word === undefined || (["on", "off", "show"].includes(word) && others.length === 0);
    if (!isOwn) return chat.commands.run(["plan", ...words]);
    const { settings } = chat;
    if (word !== "show") {
      const isOn = word === undefined ? settings.mode !== "plan" : word === "on";
      settings.mode = isOn ? "plan" : "build";
      print(
        isOn
          ? "Plan mode is on: writes are queued. /approve runs them."
          : "Plan mode is off: what the policy allows is done at once.",
      );
    }
    printWaiting(await waitingHere(chat));
  },
};

const showPlan: ChatCommand = {
  usage: "",
  about: "what is queued; the same as /plan show",
  run: async (chat) => printWaiting(await waitingHere(chat)),
};

const mode: ChatCommand = {
  usage: policyModes.join("|"),
  about: "run, queue or refuse writes; the stricter of mode and policy counts",
  run({ settings }, [name]) {
    if (name !== undefined) settings.mode = pick("mode", name, policyModes) ?? "build";
    print(`Mode: ${settings.mode}`);
  },
};

const approve: ChatCommand = {
  usage: which,
  about: "run waiting calls: the first N, all, or one",
  async run(chat, words) {
    let code = 0;
    for (const held of await chosen(chat, words)) {
      const outcome = await run(chat, held);
      print(colors.bold(plainText(held.tool)));
      if (outcome) printOutcome(outcome);
      else print("It runs where its caller waits for it.");
      code = outcome ? exitCodeOf(outcome) : 0;
      // What comes next may rely on it.
      if (code !== 0) break;
    }
    return code;
  },
};

const reject: ChatCommand = {
  usage: `${which} [REASON…]`,
  about: "reject waiting calls: the first N, all, or one",
  async run(chat, [first, ...words]) {
    const reason = words.join(" ");
    const all = await chosen(chat, first === undefined ? [] : [first]);
    const said = reason === "" ? {} : { reason };
    for (const { id, plan: made } of all)
      if (made === null) await chat.plane.approvals.answer(id, { decision: "reject", ...said });
      else await chat.plane.plans.reject(made, { ids: [id], ...said });
    print(`${all.length} rejected: ${all.map(({ tool }) => plainText(tool)).join(", ")}`);
  },
};

/** Null where it runs elsewhere. */
async function run({ plane }: Chat, { id, plan: made }: HeldView): Promise<Outcome | null> {
  if (made === null)
    return (await plane.approvals.answer(id, { decision: "approve" })).outcome ?? null;
  return (await plane.plans.approve(made, { ids: [id] })).outcomes[0]?.outcome ?? null;
}

/** What this conversation has queued, in the order in which it runs, then what else of it waits. */
async function waitingHere({ plane, conversation }: Chat): Promise<HeldView[]> {
  const [plans, approvals] = await Promise.all([
    plane.plans.list(),
    plane.approvals.list({ status: "pending" }),
  ]);
  const queued = plans
    .filter(
      (made) => made.conversation === conversation && ["pending", "partly"].includes(made.status),
    )
    .flatMap(({ changes }) => changes.filter(({ status }) => status === "pending"));
  const alone = approvals.filter(
    (held) => held.plan === null && held.options.conversation === conversation,
  );
  return [...queued, ...alone];
}

/** Without a word it is all of it. */
async function chosen(chat: Chat, words: readonly string[]): Promise<HeldView[]> {
  const [word = "all", ...others] = words;
  if (others.length > 0) throw usage("approve", approve);
  const waiting = await waitingHere(chat);
  if (waiting.length === 0) throw new PlaneError("NOT_FOUND", "Nothing waits for an answer here.");
  if (word === "all") return waiting;
  if (/^\d{1,3}$/.test(word) && Number(word) > 0) return waiting.slice(0, Number(word));
  const ids = waiting.map(({ id }) => id);
  const id = findByPrefix(word, ids, { what: "change", where: "/plan show" });
  return waiting.filter((held) => held.id === id);
}

function printWaiting(waiting: readonly HeldView[]): void {
  if (waiting.length === 0) return print(colors.dim("Nothing is queued."));
  const short = shortenIds(waiting.map(({ id }) => id));
  for (const [at, { id, tool, shown, verdict }] of waiting.entries()) {
    print(`${at + 1}. ${colors.bold(plainText(tool))} ${colors.dim(short(id))}`);
    for (const line of renderArguments(shown, "   ")) print(line);
    print(colors.dim(`   # ${plainText(verdict.reason)}`));
  }
}

/** What takes a setting back. */
const none = "none";

const model: ChatCommand = {
  usage: "[NAME]",
  about: "which configured model answers",
  run({ plane, settings }, [name]) {
    const known = Object.keys(plane.config().models);
    if (known.length === 0) return print(howToConfigureModel(plane.config()));
    if (name !== undefined) settings.model = pick("model", name, known);
    print(
      `Model: ${settings.model ?? (known.includes("default") ? "default" : known[0])} of ${known.join(", ")}`,
    );
  },
};

const toolset: ChatCommand = {
  usage: `[NAME|${none}]`,
  about: "which selection of tools the model gets",
  run({ plane, settings }, [name]) {
    const known = Object.keys(plane.config().toolsets);
    if (name !== undefined) settings.toolset = pick("toolset", name, known);
    print(
      `Toolset: ${settings.toolset ?? "every tool"}${known.length > 0 ? `; there are ${known.join(", ")}` : ""}`,
    );
  },
};

const style: ChatCommand = {
  usage: agentStyles.join("|"),
  about: "how the model works: with tool calls, in plain text, with a plan, or with programs",
  run({ settings }, [name]) {
    if (name !== undefined) settings.style = pick("style", name, agentStyles);
    print(`Style: ${settings.style ?? "tools"}`);
  },
};

const groups: ChatCommand = {
  usage: `[GROUP…|*|${none}]`,
  about: "limit the tools to these groups",
  run({ settings }, words) {
    if (words.length > 0) settings.groups = words[0] === none ? null : words;
    print(`Groups of tools: ${settings.groups?.join(", ") ?? "default"}`);
  },
};

const state: ChatCommand = {
  usage: `[STATE|${none}]`,
  about: "the state that the agent is in",
  run({ settings }, [name]) {
    if (name !== undefined) settings.state = name === none ? null : name;
    print(`State: ${settings.state ?? none}`);
  },
};

const verbose: ChatCommand = {
  usage: "[on|off]",
  about: "show what happens: servers, calls, searches, approvals",
  run({ plane, settings }, [word]) {
    settings.isVerbose = word === undefined ? !settings.isVerbose : word === "on";
    print(`Events are ${settings.isVerbose ? "shown" : "not shown"}.`);
    if (settings.isVerbose && plane.isRemote)
      print(
        "The plane serves elsewhere: its events are at GET /events. Start chat with --standalone to see them here.",
      );
  },
};

function pick<T extends string>(what: string, name: string, known: readonly T[]): T | null {
  if (name === none) return null;
  const found = known.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  const [meant] = nearest(name, known, 1);
  const remedy = meant
    ? `Did you mean '${meant}'?`
    : known.length === 0
      ? `The configuration has none; add one under '${what}s'.`
      : `There are ${known.join(", ")}.`;
  throw new PlaneError("USAGE", `There is no ${what} '${name}'. ${remedy}`);
}

const save: ChatCommand = {
  usage: "FILE [--force]",
  about: "write the conversation to a file that 'agent --history' takes",
  async run({ conversation, history }, words) {
    const [file, ...others] = words.filter((word) => word !== "--force");
    if (file === undefined || others.length > 0) throw usage("save", save);
    const text = `${JSON.stringify({ conversation, history }, null, 2)}\n`;
    try {
      await writeFile(file, text, { mode: 0o600, flag: words.includes("--force") ? "w" : "wx" });
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      if (code === "EEXIST")
        throw new PlaneError(
          "USAGE",
          `'${file}' is there already. /save ${file} --force overwrites it.`,
        );
      throw new PlaneError("USAGE", `'${file}' cannot be written: ${fileErrorText(thrown)}.`);
    }
    print(`${countOf(history.length, "message")} saved in ${file}.`);
  },
};

const clear: ChatCommand = {
  usage: "",
  about: "clear the conversation and begin another",
  async run(chat) {
    chat.history = [];
    await chat.plane.conversations.end(chat.conversation);
    chat.conversation = newConversation();
    print("The conversation was cleared.");
  },
};

const help: ChatCommand = {
  usage: "[COMMAND]",
  about: "what can be typed here",
  async run({ commands }, words) {
    if (words.length > 0) return commands.run(["help", ...words]);
    print(renderHelp(commands.names));
  },
};

const quit: ChatCommand = {
  usage: "",
  about: "end; Ctrl-D does the same",
  run: (chat) => chat.end(),
};

export const verbs: Record<string, ChatCommand> = {
  mcp,
  plan,
  "show-plan": showPlan,
  mode,
  approve,
  reject,
  model,
  toolset,
  style,
  groups,
  state,
  clear,
  save,
  verbose,
  help,
  quit,
};

/** What the line runs: a verb of the chat, or else a command. Also `exit` for quit. */
export async function runWords(chat: Chat, [typed = "", ...words]: string[]): Promise<unknown> {
  const name = typed === "exit" ? "quit" : typed;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb) return verb.run(chat, words);
  return chat.commands.run([name, ...words], Object.keys(verbs));
}

function renderHelp(commands: readonly string[]): string {
  const rows = Object.entries(verbs).map(
    ([name, { usage, about }]) => [`/${name} ${usage}`.trim(), about] as const,
  );
  const width = Math.max(...rows.map(([typed]) => typed.length));
  const others = commands.filter((name) => !Object.hasOwn(verbs, name));
  return [
    ...rows.map(([typed, about]) => `${typed.padEnd(width)}  ${colors.dim(about)}`),
    "",
    "Commands of toolplane, as in /call TOOL key=value or /servers list; /help COMMAND explains one:",
    others.map((name) => `/${name}`).join(" "),
    "",
    "Anything else is for the model. Ctrl-C cancels what runs, a second one ends.",
  ].join("\n");
}
