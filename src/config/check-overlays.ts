import { isObject } from "../model/json.ts";
import { ToolOverlay } from "../model/overlay.ts";
import type { Path } from "../model/path.ts";
import { mayBelongTo } from "../model/tool-name.ts";
import { parseValue, type Report } from "./parse-value.ts";

/**
 * What is said about tools of servers. References in what is fixed are followed when it is sent, so that nothing that
 * can be looked at ever holds it.
 */
export function checkOverlays(
  entries: unknown,
  servers: readonly string[],
  report: Report,
  warn: (path: Path, message: string, hint: string | null) => void,
): Record<string, ToolOverlay> {
  const good: Record<string, ToolOverlay> = Object.create(null);
  for (const [name, entry] of Object.entries(isObject(entries) ? entries : {})) {
    const path = ["overlays", name];
    if (!servers.some((server) => mayBelongTo(server, name)))
      warn(path, `'${name}' is no tool of a server that is configured here`, "Write it as server.tool.");
    const overlay = parseValue(ToolOverlay, entry, path, report);
    if (overlay) good[name] = overlay;
  }
  return good;
}
