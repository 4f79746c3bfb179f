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
import { unknownCommand } from "./commands.ts";

const callChoice = "[N|all|ID]";

/** Short for commands. */
export const mcpVerbs: Readonly<Record<string, (args: string[]) => string[]>> = {
  list: () => ["servers", "list"],
  connect: (args) => ["servers", "connect", ...args],
  disconnect: (args) => ["servers", "disconnect", ...args],
  tools: (args) => ["tools", "list", "--quality", ...ofServer(args)],
  search: (args) => ["search", ...args, "--limit", "10"],
  stats: (args) => ["stats", ...ofServer(args)],
};

function ofServer([server, ...options]: string[]): string[] {
  if (server === undefined) return [];
  if (server.startsWith("-")) return [server, ...options];
  return ["--server", server, ...options];
}

const mcp: ChatCommand = {
  usage: `[${Object.keys(mcpVerbs).join("|")}]`,
  about: "short for /servers list, connect, disconnect, /tools list, /search and /stats",
  run({ commands }, [verb = "list", ...args]) {
    const toCommand = mcpVerbs[verb];
    if (toCommand === undefined) throw unknownCommand(verb, Object.keys(mcpVerbs), "mcp ");
    return commands.run(toCommand(args));
  },
};

const plan: ChatCommand = {
  usage: "[on|off|show]",
  about: "queue writes instead of making them; show the queue",
  async run(chat, args) {
    const [setting, ...furtherArgs] = args;
    const isSetting =
      setting === undefined ||
      (["on", "off", "show"].includes(setting) && furtherArgs.length === 0);
    if (!isSetting) return chat.commands.run(["plan", ...args]);
    const { settings } = chat;
    if (setting !== "show") {
      const isOn = setting === undefined ? settings.mode !== "plan" : setting === "on";
      settings.mode = isOn ? "plan" : "build";
      if (isOn) print("Plan mode is on: writes are queued. /approve runs them.");
      else print("Plan mode is off: what the policy allows is done at once.");
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
  usage: callChoice,
  about: "run waiting calls: the first N, all, or one",
  async run(chat, args) {
    let code = 0;
    for (const heldCall of await chooseCalls(chat, args)) {
      const outcome = await approveCall(chat, heldCall);
      print(colors.bold(plainText(heldCall.tool)));
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
  usage: `${callChoice} [REASON…]`,
  about: "reject waiting calls: the first N, all, or one",
  async run(chat, [first, ...reasonWords]) {
    const reason = reasonWords.join(" ");
    const rejected = await chooseCalls(chat, first === undefined ? [] : [first]);
    const withReason = reason === "" ? {} : { reason };
    for (const { id, plan: planId } of rejected)
      if (planId === null)
        await chat.plane.approvals.answer(id, { decision: "reject", ...withReason });
      else await chat.plane.plans.reject(planId, { ids: [id], ...withReason });
    print(`${rejected.length} rejected: ${rejected.map(({ tool }) => plainText(tool)).join(", ")}`);
  },
};

/** Null where it runs elsewhere. */
async function approveCall(
  { plane }: Chat,
  { id, plan: planId }: HeldView,
): Promise<Outcome | null> {
  if (planId === null)
    return (await plane.approvals.answer(id, { decision: "approve" })).outcome ?? null;
  return (await plane.plans.approve(planId, { ids: [id] })).outcomes[0]?.outcome ?? null;
}

/** What this conversation has queued, in the order in which it runs, then what else of it waits. */
async function waitingHere({ plane, conversation }: Chat): Promise<HeldView[]> {
  const [plans, approvals] = await Promise.all([
    plane.plans.list(),
    plane.approvals.list({ status: "pending" }),
  ]);
  const queued = plans
    .filter(
      (plan) => plan.conversation === conversation && ["pending", "partly"].includes(plan.status),
    )
    .flatMap(({ changes }) => changes.filter(({ status }) => status === "pending"));
  const alone = approvals.filter(
    (heldCall) => heldCall.plan === null && heldCall.options.conversation === conversation,
  );
  return [...queued, ...alone];
}

/** Without a word it is all of it. */
async function chooseCalls(chat: Chat, args: readonly string[]): Promise<HeldView[]> {
  const [choice = "all", ...furtherArgs] = args;
  if (furtherArgs.length > 0) throw usage("approve", approve);
  const waiting = await waitingHere(chat);
  if (waiting.length === 0) throw new PlaneError("NOT_FOUND", "Nothing waits for an answer here.");
  if (choice === "all") return waiting;
  if (/^\d{1,3}$/.test(choice) && Number(choice) > 0) return waiting.slice(0, Number(choice));
  const ids = waiting.map(({ id }) => id);
  const id = findByPrefix(choice, ids, { what: "change", where: "/plan show" });
  return waiting.filter((heldCall) => heldCall.id === id);
}

function printWaiting(waiting: readonly HeldView[]): void {
  if (waiting.length === 0) return print(colors.dim("Nothing is queued."));
  const short = shortenIds(waiting.map(({ id }) => id));
  for (const [index, { id, tool, shown, verdict }] of waiting.entries()) {
    print(`${index + 1}. ${colors.bold(plainText(tool))} ${colors.dim(short(id))}`);
    for (const line of renderArguments(shown, "   ")) print(line);
    print(colors.dim(`   # ${plainText(verdict.reason)}`));
  }
}

/** What takes a setting back. */
const noSetting = "none";

const model: ChatCommand = {
  usage: "[NAME]",
  about: "which configured model answers",
  run({ plane, settings }, [name]) {
    const models = Object.keys(plane.config().models);
    if (models.length === 0) return print(howToConfigureModel(plane.config()));
    if (name !== undefined) settings.model = pick("model", name, models);
    print(
      `Model: ${settings.model ?? (models.includes("default") ? "default" : models[0])} of ${models.join(", ")}`,
    );
  },
};

const toolset: ChatCommand = {
  usage: `[NAME|${noSetting}]`,
  about: "which selection of tools the model gets",
  run({ plane, settings }, [name]) {
    const toolsets = Object.keys(plane.config().toolsets);
    if (name !== undefined) settings.toolset = pick("toolset", name, toolsets);
    print(
      `Toolset: ${settings.toolset ?? "every tool"}${toolsets.length > 0 ? `; there are ${toolsets.join(", ")}` : ""}`,
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
  usage: `[GROUP…|*|${noSetting}]`,
  about: "limit the tools to these groups",
  run({ settings }, names) {
    if (names.length > 0) settings.groups = names[0] === noSetting ? null : names;
    print(`Groups of tools: ${settings.groups?.join(", ") ?? "default"}`);
  },
};

const state: ChatCommand = {
  usage: `[STATE|${noSetting}]`,
  about: "the state that the agent is in",
  run({ settings }, [name]) {
    if (name !== undefined) settings.state = name === noSetting ? null : name;
    print(`State: ${settings.state ?? noSetting}`);
  },
};

const verbose: ChatCommand = {
  usage: "[on|off]",
  about: "show what happens: servers, calls, searches, approvals",
  run({ plane, settings }, [setting]) {
    settings.isVerbose = setting === undefined ? !settings.isVerbose : setting === "on";
    print(`Events are ${settings.isVerbose ? "shown" : "not shown"}.`);
    if (settings.isVerbose && plane.isRemote)
      print(
        "The plane serves elsewhere: its events are at GET /events. Start chat with --standalone to see them here.",
      );
  },
};

function pick<T extends string>(kind: string, name: string, names: readonly T[]): T | null {
  if (name === noSetting) return null;
  const exactName = names.find((candidate) => candidate === name);
  if (exactName !== undefined) return exactName;
  const [likeliest] = nearest(name, names, 1);
  let remedy = `There are ${names.join(", ")}.`;
  if (names.length === 0) remedy = `The configuration has none; add one under '${kind}s'.`;
  if (likeliest) remedy = `Did you mean '${likeliest}'?`;
  throw new PlaneError("USAGE", `There is no ${kind} '${name}'. ${remedy}`);
}

const save: ChatCommand = {
  usage: "FILE [--force]",
  about: "write the conversation to a file that 'agent --history' takes",
  async run({ conversation, history }, args) {
    const [file, ...furtherArgs] = args.filter((argument) => argument !== "--force");
    if (file === undefined || furtherArgs.length > 0) throw usage("save", save);
    const text = `${JSON.stringify({ conversation, history }, null, 2)}\n`;
    try {
      await writeFile(file, text, { mode: 0o600, flag: args.includes("--force") ? "w" : "wx" });
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
  async run({ commands }, args) {
    if (args.length > 0) return commands.run(["help", ...args]);
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
export async function runTyped(chat: Chat, [typed = "", ...args]: string[]): Promise<unknown> {
  const name = typed === "exit" ? "quit" : typed;
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb) return verb.run(chat, args);
  return chat.commands.run([name, ...args], Object.keys(verbs));
}

function renderHelp(commands: readonly string[]): string {
  const rows = Object.entries(verbs).map(
    ([name, { usage, about }]) => [`/${name} ${usage}`.trim(), about] as const,
  );
  const width = Math.max(...rows.map(([typed]) => typed.length));
  const otherCommands = commands.filter((name) => !Object.hasOwn(verbs, name));
  return [
    ...rows.map(([typed, about]) => `${typed.padEnd(width)}  ${colors.dim(about)}`),
    "",
    "Commands of toolplane, as in /call TOOL key=value or /servers list; /help COMMAND explains one:",
    otherCommands.map((name) => `/${name}`).join(" "),
    "",
    "Anything else is for the model. Ctrl-C cancels what runs, a second one ends.",
  ].join("\n");
}
