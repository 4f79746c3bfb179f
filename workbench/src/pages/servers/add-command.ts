import { shellQuote } from "../../../../src/lib/text/shell.ts";
import type { PastedServer } from "./pasted-servers.ts";

/** The equivalent command for the plane's machine; null if the command line has none. */
export function renderAddCommand({ name, definition }: PastedServer): string | null {
  const { command, args = [], env = {}, url, headers = {}, ...rest } = definition;
  if (Object.keys(rest).length > 0) return null;
  const renderPairs = (flag: string, values: unknown) =>
    Object.entries(values as Record<string, unknown>).flatMap(([key, value]) => [
      flag,
      `${key}=${String(value)}`,
    ]);
  const parts =
    typeof command === "string"
      ? [name, ...renderPairs("--env", env), "--", command, ...(args as unknown[]).map(String)]
      : [name, "--url", String(url), ...renderPairs("--header", headers)];
  return [
    "toolplane",
    "servers",
    "add",
    ...parts.map((part) => (/^--[a-z]*$/.test(part) ? part : shellQuote(part))),
  ].join(" ");
}
