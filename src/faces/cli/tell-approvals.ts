import { pause } from "../../lib/pause.ts";
import { plainText } from "../../lib/plain-text.ts";
import type { Plane } from "../../model/plane.ts";
import { colors } from "./colors.ts";
import { say } from "./output.ts";

const lookMs = 1_000;

/** While somebody waits for a job: which of its calls wait for a person. Each is told once. */
export function tellApprovals(plane: Pick<Plane, "approvals">): Disposable {
  const over = new AbortController();
  void tellUntil(over.signal, plane);
  return { [Symbol.dispose]: () => over.abort() };
}

async function tellUntil(over: AbortSignal, plane: Pick<Plane, "approvals">): Promise<void> {
  const since = new Date().toISOString();
  const told = new Set<string>();
  for (;;) {
    await pause(lookMs, { signal: over, isBackground: true });
    if (over.aborted) return;
    // Who may not look is told at the end.
    const waiting = await plane.approvals({ status: "pending" }).catch(() => []);
    if (over.aborted) return;
    for (const { id, tool, at, options } of waiting) {
      if (told.has(id) || at < since || !options.conversation?.startsWith("job-")) continue;
      told.add(id);
      say(
        `${colors.yellow("waiting:")} ${plainText(tool)} needs a person's yes: toolplane approvals approve ${id}`,
      );
    }
  }
}
