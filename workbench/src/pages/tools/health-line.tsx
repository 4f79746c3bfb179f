import type { CallAnswer, ToolAnswer } from "../../api/answers.ts";
import { classes } from "../../parts/class-names.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { renderDuration } from "../../parts/time.tsx";

type HealthLineProps = {
  health: Pick<ToolAnswer["health"], "total" | "success_rate" | "p95_latency_ms">;
  /** Newest first. */
  calls: readonly CallAnswer[];
};

const shown = 30;
const healthy = 0.95;
const poor = 0.7;

/** How long the last calls took, and how many went well. */
export function HealthLine({ health, calls }: HealthLineProps) {
  if (health.total === 0) return <span className="text-xs text-muted">not called yet</span>;
  const rate = `${Math.round(health.success_rate * 100)}%`;
  const durations = calls
    .slice(0, shown)
    .map(({ durationMs }) => durationMs)
    .reverse();
  const look =
    health.success_rate >= healthy ? "text-good" : health.success_rate >= poor ? "text-warn" : "text-bad";
  const about = `${rate} of the last ${health.total} runs went well; 95% took at most ${renderDuration(health.p95_latency_ms)}`;
  return (
    <span title={about} className="flex items-center gap-2">
      {durations.length > 1 && <Sparkline values={durations} label={about} className="h-5 w-20" />}
      <span className={classes("text-xs tabular-nums", look)}>{rate}</span>
    </span>
  );
}
