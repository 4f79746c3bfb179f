import type { CallSeries } from "../../../../src/model/calls/call-schema.ts";
import { type Range, ranges } from "../../api/history-queries.ts";
import { Lines } from "../../parts/lines.tsx";
import { Bars } from "../../parts/sparkline.tsx";
import { counted, renderClock, renderCount, renderDuration } from "../../parts/time.tsx";

/** Calls and latency over time. */
export function CallsPlot({ series: { steps, total }, range }: { series: CallSeries; range: Range }) {
  const { title, step } = ranges[range];
  const span = title.toLowerCase();
  const each = step === 1 ? "minute" : step < 60 ? `${step} minutes` : `${step / 60} hours`;
  const most = Math.max(...steps.map(({ calls }) => calls));
  return (
    <div className="flex flex-col gap-1">
      <Legend
        keys={[
          { look: "bg-accent-fill", text: "answered" },
          { look: "bg-bad", text: "failed, refused or tool errors" },
        ]}
        note={most === 0 ? "none" : `max ${renderCount(most)} per ${each}`}
      />
      <Bars
        label={`${counted(total.calls, "call")} in the ${span}, ${renderCount(total.errors)} failed, refused or tool errors, max ${renderCount(most)} per ${each}`}
        className="h-32 border-b border-line"
        bars={steps.map(({ at, calls, errors }) => ({
          label: `${tick(at, range)}: ${counted(calls, "call")}, ${renderCount(errors)} failed, refused or tool errors`,
          parts: [
            { value: errors, className: "fill-bad" },
            { value: calls - errors, className: "fill-accent-fill" },
          ],
        }))}
      />
      <TimesPlot steps={steps} span={span} />
      <p className="flex justify-between text-[11px] tabular-nums text-muted">
        {[0, 0.25, 0.5, 0.75].map((place) => (
          <span key={place}>{tick(steps[Math.floor(place * steps.length)]?.at ?? 0, range)}</span>
        ))}
        <span>now</span>
      </p>
    </div>
  );
}

/** A week's steps have a day. */
function tick(at: string | number, range: Range): string {
  const day = range === "week" ? `${new Date(at).toLocaleDateString(undefined, { weekday: "short" })} ` : "";
  return day + renderClock(at);
}

function TimesPlot({ steps, span }: Pick<CallSeries, "steps"> & { span: string }) {
  const longest = Math.max(...steps.map(({ p95Ms }) => p95Ms ?? 0));
  if (longest === 0) return null;
  return (
    <>
      <div className="mt-3">
        <Legend
          keys={[
            { look: "bg-accent", text: "p50" },
            { look: "bg-warn", text: "p95" },
          ]}
          note={`max ${renderDuration(longest)}`}
        />
      </div>
      <Lines
        label={`Latency in the ${span}: p95 up to ${renderDuration(longest)}`}
        className="h-16 w-full border-b border-line"
        lines={[
          { name: "p95", values: steps.map(({ p95Ms }) => p95Ms), className: "stroke-warn" },
          { name: "p50", values: steps.map(({ p50Ms }) => p50Ms), className: "stroke-accent" },
        ]}
      />
    </>
  );
}

function Legend({ keys, note }: { keys: readonly { look: string; text: string }[]; note: string }) {
  return (
    <p className="flex flex-wrap gap-x-4 text-xs text-muted">
      {keys.map(({ look, text }) => (
        <span key={text} className="flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden className={`size-2 rounded-sm ${look}`} /> {text}
        </span>
      ))}
      <span className="ml-auto whitespace-nowrap tabular-nums">{note}</span>
    </p>
  );
}
