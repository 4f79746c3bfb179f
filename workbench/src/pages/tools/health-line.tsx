import type { ToolRow } from "../../api/tool-queries.ts";
import { classes } from "../../parts/class-names.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { counted, renderDuration } from "../../parts/time.tsx";

const healthyRate = 0.95;
const poorRate = 0.7;

/** Success rate and latency of the last runs. */
export function HealthLine({ health }: { health: ToolRow["health"] }) {
  const { total, success_rate, p95_latency_ms, recent } = health;
  if (total === 0) return <span className="text-xs text-muted">no run since the start</span>;
  const rate = `${Math.round(success_rate * 100)}%`;

  const about = `${rate} of the last ${counted(total, "run")} succeeded; p95 ${renderDuration(p95_latency_ms)}`;
  return (
    <span title={about} className="flex items-center gap-2">
      {recent.length > 1 && (
        <Sparkline
          values={recent.map(({ latency_ms }) => latency_ms)}
          marked={recent.flatMap(({ ok }, index) => (ok ? [] : [index]))}
          label={about}
          className="h-5 w-20"
        />
      )}
      <span className={classes("text-xs tabular-nums", colourOf(success_rate))}>{rate}</span>
    </span>
  );
}

function colourOf(rate: number): string {
  if (rate >= healthyRate) return "text-good";
  return rate >= poorRate ? "text-warn" : "text-bad";
}
