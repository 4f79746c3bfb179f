import type * as Clack from "@clack/prompts";
import { printStatus } from "./output.ts";
import { terminal } from "./terminal.ts";

type Asks = "confirm" | "multiselect" | "password" | "select" | "text";

/** Puts one question. What was typed or pasted before it was shown is no answer to it. */
export const confirm: typeof Clack.confirm = async (options) =>
  (await ready("confirm"))(withOutput(options));
export const multiselect: typeof Clack.multiselect = async (options) =>
  (await ready("multiselect"))(withOutput(options));
export const password: typeof Clack.password = async (options) =>
  (await ready("password"))(withOutput(options));
export const select: typeof Clack.select = async (options) =>
  (await ready("select"))(withOutput(options));
export const text: typeof Clack.text = async (options) =>
  (await ready("text"))(withOutput(options));

/** What a question gets for an answer when its person presses Ctrl-C. */
export const isCancel = (answer: unknown): answer is symbol => typeof answer === "symbol";

const withOutput = <T extends Clack.CommonOptions>(options: T): T => ({
  output: terminal.stderr,
  ...options,
});

async function ready<Name extends Asks>(name: Name): Promise<(typeof Clack)[Name]> {
  const { [name]: ask } = await import("@clack/prompts");
  if (await dropTyped())
    printStatus("What was typed before this question is left out. Type it again afterwards.");
  return ask;
}

/** As much of standard input as is needed to read past what was typed. */
type TypedInput = {
  isTTY?: boolean;
  isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: "data", hear: (typed: Buffer | string) => void): unknown;
  off(event: "data", hear: (typed: Buffer | string) => void): unknown;
  pause(): unknown;
};

/** Typed input arrives at once; no person reads a question and answers it in this time. */
const quietMs = 60;
/** A key that is held down has no end. */
const maxMs = 1_000;
const interrupt = "\u0003";

/** Tells whether there was more than a line's end. Only an interruption counts at any time. */
export async function dropTyped(input: TypedInput = terminal.stdin): Promise<boolean> {
  if (!input.isTTY || !input.setRawMode) return false;
  const wasRaw = input.isRaw ?? false;
  // Otherwise half a line does not arrive before its end.
  input.setRawMode(true);
  let isInterrupted = false;
  let isText = false;
  let heard = 0;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(quiet);
      clearTimeout(limit);
      input.off("data", drop);
      resolve();
    };
    const drop = (typed: Buffer | string) => {
      heard += 1;
      isInterrupted ||= typed.toString().includes(interrupt);
      isText ||= /\S/.test(typed.toString());
      quiet.refresh();
    };
    // On a busy machine the timer may fire first: input that is there is read in the same turn.
    const endIfQuiet = () => {
      const heardBefore = heard;
      setImmediate(() => heard === heardBefore && end());
    };
    const quiet = setTimeout(endIfQuiet, quietMs);
    const limit = setTimeout(end, maxMs);
    input.on("data", drop);
  });
  input.pause();
  input.setRawMode(wasRaw);
  if (isInterrupted) process.kill(process.pid, "SIGINT");
  return isText;
}
