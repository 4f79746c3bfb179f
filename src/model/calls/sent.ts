import { isRepeatable, type Tool } from "../catalogue/tool.ts";
import type { ErrorData } from "../errors.ts";
import type { Attempt, Sent } from "./call-schema.ts";

/**
 * May the plane itself make an attempt once more? Only what provably never left, or does no harm a second time. Retries,
 * other providers, queued calls and dead letters all ask this.
 */
export function mayRunAgain(tool: Tool | undefined, { sent, harmless }: ErrorData): boolean {
  if (sent === false || harmless === true) return true;
  return tool !== undefined && isRepeatable(tool);
}

/** Of a call that failed, from what its transports saw. */
export function sentOf(data: ErrorData, attempts: readonly Attempt[]): Sent {
  const mayHaveLeft = attempts.some(({ sent }) => sent !== false);
  if (!mayHaveLeft) return "not_sent";
  return data.sent !== false && isAnswered(data) ? "sent" : "not_known";
}

/** A status and a JSON-RPC error are answers as well. */
function isAnswered({ answered, status, rpcCode }: ErrorData): boolean {
  return answered === true || status !== undefined || rpcCode !== undefined;
}
