import type { Socket } from "node:net";
import type { AgentMessage } from "../../model/agent-run.ts";
import type { Answer, AskHere, HeldView } from "../../model/held-call.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import type { RemoteAnswer } from "./remote-methods.ts";

/** The options that are functions. They stay with whoever asks, and the plane that answers reaches them by lines. */
export type Callbacks = { onMessage?: (message: AgentMessage) => void; askHere?: AskHere };

/** What comes from the plane: any number of these before the answer, which is the last line. */
export type PlaneLine =
  | { heard: AgentMessage }
  | { asked: number; held: HeldView; problem: string | null }
  /** The question is over: somebody else has answered it, or nobody waits any more. */
  | { withdrawn: number }
  | RemoteAnswer;

/** What comes from whoever asked, after the question. */
export type AskerLine = { answered: number; answer: Answer | null };

export type CallbackName = keyof Callbacks;
export const callbackNames = ["onMessage", "askHere"] as const satisfies CallbackName[];

/** One line of JSON after the other, however long. */
export function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  return createLineSplitter(Number.POSITIVE_INFINITY, onLine, () => undefined);
}

/** On the side of the plane: functions that are called elsewhere. */
export function callElsewhere(socket: Socket, names: readonly CallbackName[]) {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let questions = 0;
  const send = (line: PlaneLine) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
  };
  const askHere: AskHere = (held, signal, problem) =>
    new Promise((resolve) => {
      questions += 1;
      const asked = questions;
      const settle = (answer: Answer | null) => {
        waiting.delete(asked);
        signal.removeEventListener("abort", withdraw);
        resolve(answer);
      };
      const withdraw = () => {
        send({ withdrawn: asked });
        settle(null);
      };
      waiting.set(asked, settle);
      signal.addEventListener("abort", withdraw, { once: true });
      send({ asked, held, problem });
    });
  const all: Required<Callbacks> = { onMessage: (heard) => send({ heard }), askHere };
  return {
    callbacks: Object.fromEntries(names.map((name) => [name, all[name]])) as Callbacks,
    onLine(line: string): void {
      try {
        const { answered, answer } = JSON.parse(line) as AskerLine;
        waiting.get(answered)?.(answer);
      } catch {
        // What nobody understands answers nothing.
      }
    },
  };
}

/** On the side of whoever asked: does what a line of the plane asks for. False when it is the answer to it all. */
export function answerLine(
  line: PlaneLine,
  { onMessage, askHere }: Callbacks,
  open: Map<number, AbortController>,
  send: (line: AskerLine) => void,
): line is Exclude<PlaneLine, RemoteAnswer> {
  if ("heard" in line) onMessage?.(line.heard);
  else if ("withdrawn" in line) open.get(line.withdrawn)?.abort();
  else if ("asked" in line) {
    const { asked, held, problem } = line;
    const over = new AbortController();
    open.set(asked, over);
    // Whoever cannot be asked leaves it to others.
    void Promise.resolve(askHere?.(held, over.signal, problem) ?? null)
      .catch(() => null)
      .then((answer) => send({ answered: asked, answer }))
      .finally(() => open.delete(asked));
  } else return false;
  return true;
}
