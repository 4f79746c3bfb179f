import { useState } from "react";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { Button } from "../../parts/button.tsx";
import { Select } from "../../parts/field.tsx";
import { Ban } from "../../parts/icons.ts";
import { counted, exactTime, renderCount, useNow } from "../../parts/time.tsx";
import { useEnableTools } from "../../parts/use-enable-tools.ts";
import { reachesBack, type ToolCost, unusedOf } from "./tool-use.ts";

const spans = [7, 30, 90];
const defaultDays = 30;
const dayMs = 24 * 3_600_000;
/** Instead of days: as far as the records reach. */
const allRecorded = 0;

type UnusedToolsProps = { costs: readonly ToolCost[]; usage: AnswerOf<"calls.usage"> | undefined };

/** Disables what nobody calls, and says what that saves. */
export function UnusedTools({ costs, usage }: UnusedToolsProps) {
  const now = useNow();
  const [chosenDays, setDays] = useState<number | null>(null);
  // A plane that is younger has all that it knows; which time that is stands beside the button.
  const days = chosenDays ?? (reachesBack(usage, defaultDays, now) ? defaultDays : allRecorded);
  const enable = useEnableTools("Context");
  const recordedSince = usage?.since ?? null;
  const span =
    days === allRecorded && recordedSince !== null
      ? (now - Date.parse(recordedSince)) / dayMs
      : days;
  const unused = unusedOf(costs, span, now);
  const tokens = unused.reduce((sum, tool) => sum + tool.tokens, 0);
  const isKnown = days === allRecorded ? recordedSince !== null : reachesBack(usage, days, now);
  const reason = usage === undefined ? "Reading the records …" : whyNot(usage.since, days);
  return (
    <section
      aria-label="What nobody calls"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-surface px-4 py-3 text-sm"
    >
      <p className="min-w-0 flex-1 basis-72">
        {!isKnown && <span className="text-muted">{reason}</span>}
        {isKnown && unused.length === 0 && "Every tool was called in this time."}
        {isKnown && unused.length > 0 && (
          <>
            <b>{counted(unused.length, "tool")}</b> not called{" "}
            {days === allRecorded ? `since ${exactTime(recordedSince ?? "")}` : "in this time"}:{" "}
            <b>{renderCount(tokens)} tokens</b> of definitions.
          </>
        )}
      </p>
      <Select
        aria-label="Not called in"
        className="w-44!"
        value={String(days)}
        onChange={({ target }) => setDays(Number(target.value))}
        options={[
          ...spans.map((spanDays) => ({ value: String(spanDays), text: `Last ${spanDays} days` })),
          { value: String(allRecorded), text: "All that is recorded" },
        ]}
      />
      <Button
        icon={Ban}
        disabled={!isKnown || unused.length === 0}
        title={isKnown ? undefined : reason}
        busy={enable.isPending}
        onClick={() => enable.mutate({ names: unused.map(({ name }) => name), enabled: false })}
      >
        Disable what nobody calls
      </Button>
    </section>
  );
}

function whyNot(since: string | null, days: number): string {
  if (since === null) return "No call is recorded yet, so it is not known what nobody calls.";
  return `Calls are recorded since ${exactTime(since)}. What nobody called in ${days} days is known later.`;
}
