import { setTimeout as sleep } from "node:timers/promises";
import { plainText } from "../../lib/plain-text.ts";
import { redact } from "../../lib/redact.ts";
import { type Channel, RpcError, TransportError } from "../../protocol/message.ts";

/** How long the reason of a process that has just ended may take to arrive. */
const lastWordsMs = 200;
const lastLines = 5;
const maxReason = 500;

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
  /** The first line it wrote that is no message. */
  noise: string | undefined;
  closed: Promise<TransportError>;
};

/** Why a session did not come about or did not last. The channel is closed by now. */
export async function explain({
  thrown,
  tooLate,
  limitMs,
  channel,
  noise,
  closed,
}: Ending): Promise<Failure> {
  if (tooLate) {
    const isProcess = channel?.pid != null;
    const ended = isProcess ? await Promise.race([closed, sleep(lastWordsMs, null)]) : null;
    const wrote =
      isProcess && noise !== undefined ? `it wrote '${noise}' to stdout, which is not MCP, and` : "it";
    return {
      kind: "too late",
      reason: `${wrote} gave no answer within ${limitMs / 1000} s`,
      said: saidBy(ended),
    };
  }
  const reason = redact(plainText(messageOf(thrown))).slice(0, maxReason);
  const said = saidBy(thrown);
  if (thrown instanceof RpcError)
    return { kind: "refused", reason: `it answered with an error: ${reason}`, said };
  return { kind: channel === undefined ? "not started" : "lost", reason, said };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function saidBy(thrown: unknown): string {
  const said = thrown instanceof TransportError ? thrown.said : "";
  return said.trim().split("\n").slice(-lastLines).join("\n");
}
