import { setTimeout as sleep } from "node:timers/promises";
import { plainText } from "../../lib/plain-text.ts";
import { redact } from "../../lib/redact.ts";
import { type Channel, RpcError, type TransportError } from "../../protocol/message.ts";

/** How long the reason of a process that has just ended may take to arrive. */
const lastWordsMs = 200;
const lastLines = 5;
const longestReason = 500;
const saidMark = "; it last said: ";

export type Failure = {
  kind: "not started" | "too late" | "refused" | "lost";
  /** Safe to print, and without what the process said. */
  reason: string;
  /** The last lines of the process's standard error; "" where there are none. */
  said: string;
};

type Ending = {
  thrown: unknown;
  tooLate: boolean;
  limitMs: number;
  channel: Channel | undefined;
  closed: Promise<TransportError>;
};

/** Why a session did not come about or did not last. The channel is closed by now. */
export async function explain({ thrown, tooLate, limitMs, channel, closed }: Ending): Promise<Failure> {
  if (tooLate) {
    const ended =
      channel?.pid == null ? "" : await Promise.race([closed.then(messageOf), sleep(lastWordsMs, "")]);
    return {
      kind: "too late",
      reason: `it gave no answer within ${limitMs / 1000} s`,
      said: split(ended).said,
    };
  }
  const { reason, said } = split(messageOf(thrown));
  if (thrown instanceof RpcError)
    return { kind: "refused", reason: `it answered with an error: ${reason}`, said };
  return { kind: channel === undefined ? "not started" : "lost", reason, said };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function split(message: string): { reason: string; said: string } {
  const at = message.indexOf(saidMark);
  const reason = at < 0 ? message : message.slice(0, at);
  const lines =
    at < 0
      ? []
      : message
          .slice(at + saidMark.length)
          .trim()
          .split("\n");
  return {
    reason: redact(plainText(reason)).slice(0, longestReason),
    said: lines.slice(-lastLines).join("\n"),
  };
}
