import type { Socket } from "node:net";
import type { AgentMessage } from "../../model/agent/agent-run.ts";
import type { ApprovalAnswer, AskHere } from "../../model/calls/held-call.ts";
import type { HeldView } from "../../model/calls/held-schema.ts";
import type { ErrorCode, ErrorData } from "../../model/errors.ts";
import type { EventType, PlaneEvent } from "../../model/events.ts";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import type { Marks } from "./attachment.ts";

/** The answer to `{ method, args, hears? }`, each a line of JSON; hanging up cancels. */
export type RemoteAnswer =
  | { value?: unknown }
  | { error: { code: ErrorCode; message: string; data: ErrorData } };

/** The options that are functions. They stay in the asking process, and the plane that answers reaches them by lines. */
export type Callbacks = { onMessage?: (message: AgentMessage) => void; askHere?: AskHere };

/** The first line of a connection: a method of the plane, or something about the plane itself. */
export type SocketRequest = {
  method?: unknown;
  args?: unknown[];
  hears?: CallbackName[];
  /** What the client wants to hear of meanwhile: about servers all, about calls only those that it makes. */
  events?: EventType[];
  attach?: unknown;
  about?: unknown;
  /** Marks of the client's variables; the answer names those that have another value. */
  compare?: Marks;
  stop?: unknown;
};

/** What comes from the plane: any number of these before the answer, which is the last line. */
export type PlaneLine =
  | { heard: AgentMessage }
  | { asked: number; held: HeldView; problem: string | null }
  /** The question is over: it was answered elsewhere, or no call waits any more. */
  | { withdrawn: number }
  | { event: PlaneEvent }
  | RemoteAnswer;

/** What comes from the asking process after the question. */
export type ClientLine = { answered: number; answer: ApprovalAnswer | null };

export type CallbackName = keyof Callbacks;
export const callbackNames = ["onMessage", "askHere"] as const satisfies CallbackName[];

/** One line of JSON after the other, however long. */
export function splitLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  return createLineSplitter(Number.POSITIVE_INFINITY, onLine, () => undefined);
}

/** What the other end says first; null when it hangs up, or when it is no line of JSON. What follows is left to be read. */
export function firstLineOf(socket: Socket): Promise<SocketRequest | null> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const settle = (line: string | null) => {
      socket.off("data", onData).off("close", onClose);
      socket.pause();
      resolve(line === null ? null : parseLine<SocketRequest>(line));
    };
    const onClose = () => settle(null);
    const onData = (chunk: Buffer) => {
      const end = chunk.indexOf("\n");
      if (end < 0) return void parts.push(chunk);
      settle(Buffer.concat([...parts, chunk.subarray(0, end)]).toString("utf8"));
      // Not before the pause: a socket that flows gives it back at once, to this function.
      if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
    };
    socket.on("data", onData).once("close", onClose);
  });
}

/** Null where the other end does not speak as it should. */
export function parseLine<T extends object>(line: string): T | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as T) : null;
  } catch {
    return null;
  }
}

/** On the side of the plane: functions that are called elsewhere. */
export function callElsewhere(socket: Socket, names: readonly CallbackName[]) {
  const waiting = new Map<number, (answer: ApprovalAnswer | null) => void>();
  let questionCount = 0;
  const send = (line: PlaneLine) => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
  };
  const askHere: AskHere = (heldCall, signal, problem) =>
    new Promise((resolve) => {
      questionCount += 1;
      const questionId = questionCount;
      const settle = (answer: ApprovalAnswer | null) => {
        waiting.delete(questionId);
        signal.removeEventListener("abort", withdraw);
        resolve(answer);
      };
      const withdraw = () => {
        send({ withdrawn: questionId });
        settle(null);
      };
      waiting.set(questionId, settle);
      signal.addEventListener("abort", withdraw, { once: true });
      send({ asked: questionId, held: heldCall, problem });
    });
  const remoteCallbacks: Required<Callbacks> = { onMessage: (heard) => send({ heard }), askHere };
  return {
    callbacks: Object.fromEntries(names.map((name) => [name, remoteCallbacks[name]])) as Callbacks,
    onLine(line: string): void {
      // What cannot be understood answers nothing.
      const { answered = 0, answer = null } = parseLine<ClientLine>(line) ?? {};
      waiting.get(answered)?.(answer);
    },
  };
}

/** In the asking process: does what a line of the plane asks for. False when it is the answer to it all. */
export function answerLine(
  line: PlaneLine,
  { onMessage, askHere }: Callbacks,
  openQuestions: Map<number, AbortController>,
  send: (line: ClientLine) => void,
  onEvent: (event: PlaneEvent) => void,
): line is Exclude<PlaneLine, RemoteAnswer> {
  if ("heard" in line) onMessage?.(line.heard);
  else if ("event" in line) onEvent(line.event);
  else if ("withdrawn" in line) openQuestions.get(line.withdrawn)?.abort();
  else if ("asked" in line) {
    const { asked: questionId, held: heldCall, problem } = line;
    const withdrawal = new AbortController();
    openQuestions.set(questionId, withdrawal);
    // A question that cannot be put here is left to others.
    void Promise.resolve(askHere?.(heldCall, withdrawal.signal, problem) ?? null)
      .catch(() => null)
      .then((answer) => send({ answered: questionId, answer }))
      .finally(() => openQuestions.delete(questionId));
  } else return false;
  return true;
}
