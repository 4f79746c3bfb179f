import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import type { CallSeries } from "../../../../src/model/calls/call-schema.ts";
import { type Range, ranges } from "../../api/history-queries.ts";
import type { ChartProps } from "../../parts/chart.tsx";
import { Legend } from "../../parts/legend.tsx";
import { counted, renderClock, renderCount, renderDuration } from "../../parts/time.tsx";

/** The library that draws comes after the page; what it draws has its place already. */
const LazyChart = lazy(() =>
  import("../../parts/chart.tsx").then(
    ({ Chart }) => ({ default: Chart }),
    (): { default: (props: ChartProps) => React.JSX.Element } => ({ default: NotDrawn }),
  ),
);

function NotDrawn({ label, height }: ChartProps) {
  return (
    <p style={{ height }} className="text-sm text-muted">
      {label}
    </p>
  );
}

function Plot(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height }} className="skeleton opacity-50" />}>
      <LazyChart {...props} />
    </Suspense>
  );
}

const callsHeight = 168;
const latencyHeight = 112;

/** Calls and latency over time. */
export function CallsPlot({
  series: { steps, total, stepMs },
  range,
}: {
  series: CallSeries;
  range: Range;
}) {
  const navigate = useNavigate();
  /** To the calls behind a bar, or behind those that were dragged over. */
  const choose = (first: number, last: number) => {
    const since = steps[first]?.at;
    const until = new Date(Date.parse(steps[last]?.at ?? "") + stepMs).toISOString();
    if (since !== undefined) void navigate({ to: "/calls", search: { since, until } });
  };
  const { title, step } = ranges[range];
  const span = title.toLowerCase();
  const stepText = renderStep(step);
  const maxCalls = Math.max(...steps.map(({ calls }) => calls));
  const times = useMemo(() => steps.map(({ at }) => Date.parse(at)), [steps]);
  const bars = useMemo(
    () => [
      {
        label: "calls",
        kind: "bars" as const,
        colour: "plot",
        values: steps.map(({ calls }) => calls),
      },
      {
        label: "failed",
        kind: "bars" as const,
        colour: "bad",
        values: steps.map(({ errors }) => errors || null),
      },
    ],
    [steps],
  );
  return (
    <div className="flex flex-col gap-1">
      <Legend
        keys={[
          { look: "bg-plot", text: "answered" },
          { look: "bg-bad", text: "failed, refused or tool errors" },
        ]}
        note={maxCalls === 0 ? "none" : `max ${renderCount(maxCalls)} per ${stepText}`}
      />
      <Plot
        label={`${counted(total.calls, "call")} in the ${span}, ${renderCount(total.errors)} failed, refused or tool errors, max ${renderCount(maxCalls)} per ${stepText}`}
        height={callsHeight}
        times={times}
        series={bars}
        write={renderCount}
        writeTime={(timeMs) => renderTick(timeMs, range)}
        onChoose={choose}
      />
      <TimesPlot steps={steps} times={times} range={range} onChoose={choose} />
    </div>
  );
}

function renderStep(minutes: number): string {
  if (minutes === 1) return "minute";
  return minutes < 60 ? `${minutes} minutes` : `${minutes / 60} hours`;
}

/** A week's steps have a day. */
function renderTick(timeMs: number, range: Range): string {
  const clock = renderClock(timeMs);
  if (range !== "week") return clock;
  return `${new Date(timeMs).toLocaleDateString(undefined, { weekday: "short" })} ${clock}`;
}

type TimesProps = Pick<CallSeries, "steps"> & {
  times: readonly number[];
  range: Range;
  onChoose: NonNullable<ChartProps["onChoose"]>;
};

function TimesPlot({ steps, times, range, onChoose }: TimesProps) {
  const maxP95Ms = Math.max(...steps.map(({ p95Ms }) => p95Ms ?? 0));
  const lines = useMemo(
    () => [
      {
        label: "p95",
        kind: "line" as const,
        colour: "warn",
        values: steps.map(({ p95Ms }) => p95Ms),
      },
      {
        label: "p50",
        kind: "line" as const,
        colour: "accent",
        values: steps.map(({ p50Ms }) => p50Ms),
      },
    ],
    [steps],
  );
  if (maxP95Ms === 0) return null;
  return (
    <div className="mt-3 flex flex-col gap-1">
      <Legend
        keys={[
          { look: "bg-accent", text: "p50" },
          { look: "bg-warn", text: "p95" },
        ]}
        note={`max ${renderDuration(maxP95Ms)}`}
      />
      <Plot
        label={`Latency in the ${ranges[range].title.toLowerCase()}: p95 up to ${renderDuration(maxP95Ms)}`}
        height={latencyHeight}
        times={times}
        series={lines}
        write={renderDuration}
        writeTime={(timeMs) => renderTick(timeMs, range)}
        onChoose={onChoose}
      />
    </div>
  );
}
