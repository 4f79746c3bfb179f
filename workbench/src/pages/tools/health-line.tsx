import type { ToolRow } from "../../api/answers.ts";
import { classes } from "../../parts/class-names.ts";
import { Sparkline } from "../../parts/sparkline.tsx";
import { renderDuration } from "../../parts/time.tsx";

const healthy = 0.95;
const poor = 0.7;

/** How long the last runs took, which of them went wrong, and how many went well. */
export function HealthLine({ health }: { health: ToolRow["health"] }) {
  const { total, success_rate, p95_latency_ms, recent } = health;
  if (total === 0) return <span className="text-xs text-muted">not called yet</span>;
  const rate = `${Math.round(success_rate * 100)}%`;
  const look = success_rate >= healthy ? "text-good" : success_rate >= poor ? "text-warn" : "text-bad";
  const about = `${rate} of the last ${total} runs went well; 95% took at most ${renderDuration(p95_latency_ms)}`;
  return (
    <span title={about} className="flex items-center gap-2">
      {recent.length > 1 && (
        <Sparkline
          values={recent.map(({ latency_ms }) => latency_ms)}
          marked={recent.flatMap(({ ok }, at) => (ok ? [] : [at]))}
          label={about}
          className="h-5 w-20"
        />
      )}
      <span className={classes("text-xs tabular-nums", look)}>{rate}</span>
    </span>
  );
}
