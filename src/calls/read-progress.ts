import { isObject, type UnknownObject } from "../model/json.ts";
import type { ProgressReport } from "../model/provider.ts";

const updateMark = "MCP_UPDATE:";

export type ProgressRead = ProgressReport & { percentage: number | null; update?: UnknownObject };

/** Progress as it is told: with its share of the whole, and with the structured update some servers put into the text. */
export function readProgress({ progress, total, message }: ProgressReport): ProgressRead {
  const percentage =
    total !== null && total > 0 ? Math.min(100, Math.max(0, (progress / total) * 100)) : null;
  const update = message?.startsWith(updateMark) ? parseUpdate(message.slice(updateMark.length)) : null;
  const told = { progress, total, percentage };
  return update === null ? { ...told, message } : { ...told, message: textOf(update), update };
}

function parseUpdate(text: string): UnknownObject | null {
  try {
    const update: unknown = JSON.parse(text);
    return isObject(update) && typeof update.type === "string" ? update : null;
  } catch {
    return null;
  }
}

function textOf({ message, progress_message }: UnknownObject): string {
  const text = progress_message ?? message;
  return typeof text === "string" ? text : "Processing...";
}
