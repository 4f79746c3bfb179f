import { type ErrorCode, errorTable } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** Errors whose text names files of ours. */
const ourOwnTrouble: readonly ErrorCode[] = ["INTERNAL", "STORE_FAILED", "CONFIG_INVALID"];

const away = "The plane cannot reach its store right now. It is tried again all the time; ask again in a moment.";
const busy = "The store of the plane has more to do than it gets done. Ask again in a moment.";
const noModel =
  "No model is configured here, so nobody can answer. Whoever runs this plane can add one under 'models'; tools can be called without it.";

/** What others than those who run the plane read in the place of an error's text; null where the text is for everybody. */
export function strangerMessage(
  code: ErrorCode,
  data: Readonly<Record<string, unknown>>,
): { message: string; data: JsonObject } | null {
  if (!ourOwnTrouble.includes(code)) return null;
  if (code === "STORE_FAILED" && data.lost === true) return { message: away, data: { lost: true } };
  if (code === "STORE_FAILED" && data.busy === true) return { message: busy, data: { busy: true } };
  if (code === "CONFIG_INVALID" && data.noModel === true) return { message: noModel, data: { noModel: true } };
  return { message: errorTable[code].means, data: {} };
}
