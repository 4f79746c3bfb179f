import { setTimeout as pause } from "node:timers/promises";
import type { ActivityEntry } from "../../model/calls/call-history.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

const everyMs = 500;

export async function showActivity(cli: Cli, options: GlobalOptions & { follow?: boolean }): Promise<void> {
  await withPlane(cli, options, async (plane, interrupted) => {
    const entries = await plane.calls.activity({ face: "cli" });
    if (options.json) return printJson({ activity: entries });
    if (!plane.isRemote) say("Only a plane that runs remembers its last calls: start one with 'toolplane serve'.");
    if (entries.length === 0 && !options.follow) return print("No calls yet.");
    print(renderActivity(entries.toReversed()));
    if (options.follow && plane.isRemote) await follow(plane, entries, interrupted);
  });
}

/** Asked again and again: what is in memory of another process tells nobody. */
async function follow(plane: Plane, shown: readonly ActivityEntry[], interrupted: AbortSignal): Promise<void> {
  let known = new Set(shown.map(({ id }) => id));
  while (!interrupted.aborted) {
    await pause(everyMs, undefined, { signal: interrupted }).catch(() => undefined);
    if (interrupted.aborted) return;
    const entries = await plane.calls.activity({ face: "cli" });
    const fresh = entries.filter(({ id }) => !known.has(id)).reverse();
    if (fresh.length > 0) print(renderActivity(fresh).split("\n").slice(1).join("\n"));
    known = new Set(entries.map(({ id }) => id));
  }
}

function renderActivity(entries: readonly ActivityEntry[]): string {
  return renderTable(
    ["WHEN", "TOOL", "USER", "STATUS", "MS", "ARGUMENTS → RESULT"],
    entries.map(({ at, tool, user, status, durationMs, arguments: args, result, code }) => [
      at.slice(11, 19),
      tool,
      user ?? "-",
      status,
      String(Math.round(durationMs)),
      `${args} → ${result ?? code ?? "-"}`,
    ]),
  );
}
