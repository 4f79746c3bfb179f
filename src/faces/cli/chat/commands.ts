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
const needsShell = ["serve", "mcp", "demo", "planner", "chat", "servers wizard"];
/** Commands that handle a cancellation and report how they ended; others keep running detached. */
const endsItself = ["call", "agent", "batch", "code", "skills"];
/** Another plane is meant. */
const ownPlane =
  /^--(config|data-dir|user|group|persona|workspace|compliance|store|offline|standalone|record|replay)(=|$)/;

export function createCommands(cli: Cli, options: GlobalOptions, chat: () => Chat): Commands {
  const { commandLine } = cli;
  if (commandLine === undefined) throw new Error("The chat has no command line.");
  const names = commandLine.names.filter((name) => !needsShell.includes(name));
  return {
    names,
    async run(words, others = []) {
      const here = chat();
      const [first = "", second = ""] = words;
      if ([first, `${first} ${second}`].some((path) => needsShell.includes(path)))
        throw new PlaneError(
          "USAGE",
          `'${first}' needs a terminal of its own. Run 'toolplane ${words.join(" ")}' in one.`,
        );
      const known = ["help", ...names, ...others];
      if (!known.includes(first) && (await verbsOf(here.plane, first)).length === 0)
        requireKnown(first, known);
      const notes = new Set<string>();
      const mayBorrow = !optionsIn(words).some((word) => ownPlane.test(word));
      const given =
        first === "call" && here.settings.mode === "plan"
          ? ["call", "--plan", ...words.slice(1)]
          : words;
      using own = createTerminal(here.signal);
      const running = inTerminal(own.terminal, () =>
        commandLine.run({
          ...cli,
          argv: [...placeWords(options), ...given],
          ...(mayBorrow && {
            isReported: true,
            openPlane: async () => createChatPlane(here, notes),
          }),
        }),
      );
      const code = await (endsItself.includes(first) ? running : abortable(running, here.signal));
      here.signal.throwIfAborted();
      if (!optionsIn(words).includes("--json")) for (const note of notes) print(colors.dim(note));
      return code;
    },
    complete: (words) =>
      commandLine.complete(
        { ...cli, openPlane: async () => createChatPlane(chat(), new Set()) },
        words,
      ),
  };
}

/** Throws with what was meant; `group` is what is typed before the name. */
export function requireKnown(name: string, known: readonly string[], group = ""): void {
  if (known.includes(name)) return;
  const [meant] = nearest(name, known, 1);
  const remedy = meant ? `Did you mean /${group}${meant}?` : "/help lists the commands.";
  throw new PlaneError("USAGE", `Unknown command /${group}${name}. ${remedy}`);
}

/** What follows `--` belongs to another program. */
function optionsIn(words: readonly string[]): readonly string[] {
  return words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
}

/** Where the chat was started, for commands that read files. */
function placeWords(options: GlobalOptions): string[] {
  const { config = [], group = [], dataDir, user, persona, workspace, compliance, store } = options;
  const named = { "data-dir": dataDir, user, persona, workspace, compliance, store };
  return [
    ...config.flatMap((file) => ["--config", file]),
    ...group.flatMap((name) => ["--group", name]),
    ...Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    ),
    ...(options.offline ? ["--offline"] : []),
    ...(options.standalone ? ["--standalone"] : []),
  ];
}

/** The keyboard stays the chat's, and a cancellation there is the interruption here. */
function createTerminal(signal: AbortSignal): Disposable & { terminal: Terminal } {
  const signals = new EventEmitter();
  const interrupt = () => void signals.emit("SIGINT", "SIGINT");
  signal.addEventListener("abort", interrupt, { once: true });
  const chats = currentTerminal();
  const { stdout, stderr, env } = chats;
  return {
    terminal: {
      stdout,
      stderr,
      env,
      stdin: Readable.from([]),
      signals: signals as unknown as Terminal["signals"],
      directory: () => chats.directory(),
      exit: () => {
        throw new Error("A command of the chat does not end it.");
      },
    },
    [Symbol.dispose]: () => signal.removeEventListener("abort", interrupt),
  };
}
