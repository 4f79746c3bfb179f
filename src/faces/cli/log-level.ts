import { InvalidArgumentError } from "commander";
import type { EventType } from "../../model/events.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { say, silenceWarnings } from "./output.ts";

/** How much a command tells on standard error beside its answer and its errors. */
export const logLevels = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof logLevels)[number];

/** What happens inside, for whoever looks for the reason of something. No event carries an argument or a result. */
const shown: readonly EventType[] = [
  ...(["server.connecting", "server.connected", "server.disconnected", "server.error"] as const),
  ...(["server.circuit", "config.changed", "config.rejected", "registry.changed"] as const),
  ...(["store.lost", "store.back", "tool.call", "tool.retry", "tool.result", "tool.search"] as const),
  ...(["tool.dynamicLoad", "tool.suspicious", "tool.definition", "agent.run"] as const),
];

export function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((one) => one === text);
  if (level === undefined) throw new InvalidArgumentError(`Give one of ${logLevels.join(", ")}.`);
  if (level === "error") silenceWarnings();
  return level;
}

/** With `debug`, tells all that a plane of this process does. */
export function showEvents(plane: Plane, level: LogLevel | undefined): void {
  if (level !== "debug" || plane.isElsewhere) return;
  for (const type of shown)
    plane.on(type, ({ type: _, ...facts }) => {
      const words = Object.entries(facts).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      say(colors.dim([new Date().toISOString(), type, ...words].join(" ")));
    });
}
