import { EventEmitter } from "node:events";
import { Readable } from "node:stream";
import { abortable } from "../../../lib/async/signals.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { verbsOf } from "../extensions/added-commands.ts";
import { colors, print } from "../terminal/output.ts";
import { currentTerminal, inTerminal, type Terminal } from "../terminal/terminal.ts";
import { createChatPlane } from "./chat-plane.ts";
import type { Chat, Commands } from "./chat-state.ts";

/** Commands that take over the terminal, or serve on it. */
const shellCommands = ["serve", "mcp", "demo", "planner", "chat", "servers wizard"];
/** Commands that handle a cancellation and report how they ended; others keep running detached. */
const selfEndingCommands = ["call", "agent", "batch", "code", "skills"];
/** Options that ask for another plane than the chat's. */
const otherPlaneOption =
  /^--(config|data-dir|user|group|persona|workspace|compliance|store|offline|standalone|record|replay)(=|$)/;

export function createCommands(cli: Cli, options: GlobalOptions, chat: () => Chat): Commands {
  const { commandLine } = cli;
  if (commandLine === undefined) throw new Error("The chat has no command line.");
  const names = commandLine.names.filter((name) => !shellCommands.includes(name));
  return {
    names,
    async run(typed, otherNames = []) {
      const session = chat();
      const [first = "", second = ""] = typed;
      if ([first, `${first} ${second}`].some((path) => shellCommands.includes(path)))
        throw new PlaneError(
          "USAGE",
          `'${first}' needs a terminal of its own. Run 'toolplane ${typed.join(" ")}' in one.`,
        );
      const knownNames = ["help", ...names, ...otherNames];
      if (!knownNames.includes(first) && (await verbsOf(session.plane, first)).length === 0)
        throw unknownCommand(first, knownNames);
      const notes = new Set<string>();
      const usesPlaneOfChat = !optionsIn(typed).some((option) => otherPlaneOption.test(option));
      const isPlanned = first === "call" && session.settings.mode === "plan";
      const commandArguments = isPlanned ? ["call", "--plan", ...typed.slice(1)] : typed;
      using ownTerminal = createTerminal(session.signal);
      const running = inTerminal(ownTerminal.terminal, () =>
        commandLine.run({
          ...cli,
          argv: [...planeArguments(options), ...commandArguments],
          ...(usesPlaneOfChat && {
            areProblemsReported: true,
            openPlane: async () => createChatPlane(session, notes),
          }),
        }),
      );
      const code = await (selfEndingCommands.includes(first)
        ? running
        : abortable(running, session.signal));
      session.signal.throwIfAborted();
      if (!optionsIn(typed).includes("--json")) for (const note of notes) print(colors.dim(note));
      return code;
    },
    complete: (typed) =>
      commandLine.complete(
        { ...cli, openPlane: async () => createChatPlane(chat(), new Set()) },
        typed,
      ),
  };
}

/** `group` is what is typed before the name. */
export function unknownCommand(
  name: string,
  knownNames: readonly string[],
  group = "",
): PlaneError {
  const [likeliest] = nearest(name, knownNames, 1);
  const remedy = likeliest ? `Did you mean /${group}${likeliest}?` : "/help lists the commands.";
  return new PlaneError("USAGE", `Unknown command /${group}${name}. ${remedy}`);
}

/** What follows `--` belongs to another program. */
function optionsIn(typed: readonly string[]): readonly string[] {
  if (!typed.includes("--")) return typed;
  return typed.slice(0, typed.indexOf("--"));
}

/** Where the chat was started, for commands that read files. */
function planeArguments(options: GlobalOptions): string[] {
  const { config = [], group = [], dataDir, user, persona, workspace, compliance, store } = options;
  const flagValues = { "data-dir": dataDir, user, persona, workspace, compliance, store };
  const args = [
    ...config.flatMap((file) => ["--config", file]),
    ...group.flatMap((name) => ["--group", name]),
  ];
  for (const [name, value] of Object.entries(flagValues))
    if (value !== undefined) args.push(`--${name}`, value);
  if (options.offline) args.push("--offline");
  if (options.standalone) args.push("--standalone");
  return args;
}

/** The keyboard stays the chat's, and a cancellation there is the interruption here. */
function createTerminal(signal: AbortSignal): Disposable & { terminal: Terminal } {
  const signals = new EventEmitter();
  const interrupt = () => void signals.emit("SIGINT", "SIGINT");
  signal.addEventListener("abort", interrupt, { once: true });
  const chatTerminal = currentTerminal();
  const { stdout, stderr, env } = chatTerminal;
  return {
    terminal: {
      stdout,
      stderr,
      env,
      stdin: Readable.from([]),
      signals: signals as unknown as Terminal["signals"],
      directory: () => chatTerminal.directory(),
      exit: () => {
        throw new Error("A command of the chat does not end it.");
      },
    },
    [Symbol.dispose]: () => signal.removeEventListener("abort", interrupt),
  };
}
