import type { LogLevel } from "../../../../src/model/servers/server.ts";
import type { ServerLogLine } from "../../../../src/model/servers/server-schema.ts";

export const logFilters = [
  { value: "all", text: "Everything" },
  { value: "info", text: "Info and above" },
  { value: "warning", text: "Warnings and above" },
  { value: "error", text: "Errors" },
  { value: "stderr", text: "Standard error" },
  { value: "notification", text: "Notifications" },
] as const;

export type LogFilter = (typeof logFilters)[number]["value"];

/** By severity. Repeated here because the model's file imports a library. */
const ranks: Record<LogLevel, number> = {
  debug: 0,
  info: 1,
  notice: 2,
  warning: 3,
  error: 4,
  critical: 5,
  alert: 6,
  emergency: 7,
};
const rankOf = (level: string) => ranks[level as LogLevel] ?? ranks.info;

/** Lines on stderr have no level. */
export function isShown(
  { source, level }: Pick<ServerLogLine, "source" | "level">,
  filter: LogFilter,
): boolean {
  if (filter === "all") return true;
  if (filter === "stderr" || filter === "notification") return source === filter;
  return level !== undefined && rankOf(level) >= rankOf(filter);
}

export function toneOf({ source, level }: { source: string; level: string | undefined }): string {
  if (level === undefined) return source === "noise" ? "text-warn" : "text-muted";
  if (rankOf(level) >= ranks.error) return "text-bad";
  return rankOf(level) >= ranks.warning ? "text-warn" : "text-muted";
}
