import type { ServerStatus } from "../../../src/model/servers/server-schema.ts";

type Failing = Pick<ServerStatus, "error" | "stderrTail">;

/** Why a server fails, as a sentence: what the plane saw, and what the server wrote itself, which is usually the cause. */
export function causeOf({ error, stderrTail }: Failing): string | null {
  if (error === null) return null;
  const reason = error.charAt(0).toUpperCase() + error.slice(1);
  const stderr = stderrTail?.trim() ?? "";
  if (stderr === "" || reason.includes(stderr)) return reason;
  return `${reason.replace(/\.$/, "")}. It wrote: ${stderr}`;
}
