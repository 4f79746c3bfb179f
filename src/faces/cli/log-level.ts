import { InvalidArgumentError } from "commander";
import { silenceWarnings } from "./output.ts";

/** How much a command tells on standard error beside its answer and its errors. */
export const logLevels = ["error", "warn", "info", "debug"] as const;
type LogLevel = (typeof logLevels)[number];

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text);
  if (level === undefined) throw new InvalidArgumentError(`Give one of ${logLevels.join(", ")}.`);
  if (level === "error") silenceWarnings();
  return level;
}
