import type { CallStatus } from "./call.ts";
import type { ErrorCode } from "./errors.ts";
import type { Face } from "./principal.ts";

/** How many calls are remembered, and how much of what each said. */
export const activityLimits = { calls: 100, characters: 256 } as const;

/** One of the last calls, in short. Kept in memory only; what looks like a secret is hidden. */
export type ActivityEntry = {
  id: string;
  at: string;
  tool: string;
  user: string | null;
  face: Face;
  status: CallStatus;
  durationMs: number;
  arguments: string;
  result: string | null;
  code: ErrorCode | null;
};
