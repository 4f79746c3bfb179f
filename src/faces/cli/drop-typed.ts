import { terminal } from "./terminal.ts";

/** As much of standard input as is needed to read past what was typed. */
type Typed = {
  isTTY?: boolean;
  isRaw?: boolean;
  setRawMode?(isRaw: boolean): unknown;
  on(event: "data", hear: (typed: Buffer | string) => void): unknown;
  off(event: "data", hear: (typed: Buffer | string) => void): unknown;
  pause(): unknown;
};

/** What was typed is there at once; nobody reads a question and answers it in this time. */
const quietMs = 60;
/** A key that is held down has no end. */
const maxMs = 1_000;
const interrupt = "\u0003";

/** What was typed before a question was shown is no answer to it. Only an interruption counts at any time. */
export async function dropTyped(input: Typed = terminal.stdin): Promise<void> {
  if (!input.isTTY || !input.setRawMode) return;
  const wasRaw = input.isRaw ?? false;
  // Half a line reaches nobody before its end otherwise.
  input.setRawMode(true);
  let isInterrupted = false;
  let heard = 0;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(quiet);
      clearTimeout(last);
      input.off("data", hear);
      resolve();
    };
    const hear = (typed: Buffer | string) => {
      heard += 1;
      isInterrupted ||= typed.toString().includes(interrupt);
      quiet.refresh();
    };
    // On a busy machine time may be over before anybody has looked: what is there is heard in the same turn.
    const look = () => {
      const before = heard;
      setImmediate(() => heard === before && end());
    };
    const quiet = setTimeout(look, quietMs);
    const last = setTimeout(end, maxMs);
    input.on("data", hear);
  });
  input.pause();
  input.setRawMode(wasRaw);
  if (isInterrupted) process.kill(process.pid, "SIGINT");
}
