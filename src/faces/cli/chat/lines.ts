import { createInterface, type Interface } from "node:readline";
import { serialized } from "../../../lib/async/once.ts";
import { terminal } from "../terminal/terminal.ts";

/** Lines as a person types them, or as they come through a pipe. */
export type Lines = Disposable & {
  /** Is there a person to ask, rather than a script? */
  readonly isTyped: boolean;
  /** The next one; null when there will be none, or when it is not wanted any more. */
  next(prompt: string, signal?: AbortSignal): Promise<string | null>;
  /** The answer to a question. What a person typed before it was put is none. */
  answer(prompt: string, signal: AbortSignal): Promise<string | null>;
  /** Returns a line that was meant for another reader. */
  putBack(line: string): void;
  /** Prints without tearing what is being typed. */
  interject(write: () => void): void;
};

type LinesOptions = {
  /** Newest first. */
  history: string[];
  complete(line: string): Promise<[string[], string]>;
  onHistory(history: string[]): void;
  /** Ctrl-C, while a person types; `isEmpty` when there was nothing on the line. */
  onInterrupt(isEmpty: boolean): void;
};

/** More than this is not remembered. */
const maxHistory = 1_000;

export function createLineReader({
  history,
  complete,
  onHistory,
  onInterrupt,
}: LinesOptions): Lines {
  const isTyped = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true;
  const reader = openReader(isTyped, history, complete);
  const waiting: string[] = [];
  let pendingAnswer: ((line: string | null) => void) | undefined;
  let isOver = false;
  const settle = (line: string | null) => {
    const answer = pendingAnswer;
    pendingAnswer = undefined;
    answer?.(line);
  };
  reader.on("line", (line) => (pendingAnswer ? settle(line) : waiting.push(line)));
  reader.on("history", onHistory);
  reader.on("close", () => {
    isOver = true;
    settle(null);
  });
  reader.on("SIGINT", () => {
    const isEmpty = dropLine(reader);
    onInterrupt(isEmpty);
    if (isEmpty && pendingAnswer) reader.prompt();
  });
  const readLine = (prompt: string, signal?: AbortSignal): Promise<string | null> => {
    if (isOver || signal?.aborted) return Promise.resolve(null);
    if (isTyped) {
      reader.setPrompt(prompt);
      // What is being typed goes on at its end.
      reader.prompt(true);
    }
    return new Promise((resolve) => {
      const giveUp = () => settle(null);
      pendingAnswer = (line) => {
        signal?.removeEventListener("abort", giveUp);
        resolve(line);
      };
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  };
  const nextLine = (prompt: string, signal?: AbortSignal): Promise<string | null> => {
    const line = waiting.shift();
    if (line === undefined) return readLine(prompt, signal);
    // It was typed while something else ran; what comes out now belongs to it.
    if (isTyped) terminal.stdout.write(`${prompt}${line}\n`);
    return Promise.resolve(line);
  };
  return {
    isTyped,
    next: nextLine,
    // One at a time: there is one keyboard.
    answer: serialized(async (prompt, signal) => {
      if (!isTyped) return nextLine(prompt, signal);
      const interruptedLine = reader.line;
      dropLine(reader);
      const answer = await readLine(prompt, signal);
      // It goes on where it was.
      if (interruptedLine !== "" && !isOver) reader.write(interruptedLine);
      return answer;
    }),
    putBack: (line) => void waiting.unshift(line),
    interject(write) {
      if (!isTyped || !pendingAnswer) return write();
      terminal.stdout.write("\r\u001b[K");
      write();
      reader.prompt(true);
    },
    [Symbol.dispose]: () => reader.close(),
  };
}

function openReader(isTyped: boolean, history: string[], complete: LinesOptions["complete"]) {
  return createInterface({
    input: terminal.stdin,
    terminal: isTyped,
    ...(isTyped && { output: terminal.stdout, history, historySize: maxHistory }),
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, completions: [string[], string]) => void) =>
      void complete(line).then(
        (completions) => done(null, completions),
        () => done(null, [[], line]),
      ),
  });
}

/** What was typed is given up, as in a shell. True where nothing was. */
function dropLine(reader: Interface): boolean {
  const isEmpty = reader.line === "";
  if (!isEmpty) reader.write(null, { ctrl: true, name: "u" });
  return isEmpty;
}
