import { useEffect, useRef } from "react";
import UPlot, { type AlignedData, type Options, type Series } from "uplot";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";

export type ChartSeries = {
  label: string;
  values: readonly (number | null)[];
  /** A colour of the style sheet, without its dashes: `plot`, `bad`. */
  colour: string;
  kind: "bars" | "line";
};

export type ChartProps = {
  /** The accessible description. */
  label: string;
  /** When each step begins, in milliseconds; steps are equally long. */
  times: readonly number[];
  series: readonly ChartSeries[];
  height: number;
  /** Writes a value of the axis and of the point under the pointer. */
  write: (value: number) => string;
  writeTime: (timeMs: number) => string;
  /** A step was clicked, or steps were dragged over: the first and the last. */
  onChoose?: (first: number, last: number) => void;
};

const axisWidth = 52;

/** Series over time. The pointer reads its values; colours follow the theme. */
export function Chart({ label, times, series, height, write, writeTime, onChoose }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLParagraphElement>(null);
  const shape = series.map(({ label: name, kind, colour }) => `${name} ${kind} ${colour}`).join();
  const latest = useRef<ChartContent>({ times, series, write, writeTime, onChoose });
  latest.current = { times, series, write, writeTime, onChoose };
  const chart = useRef<UPlot | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn is read when it is drawn; another shape is another chart
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const draw = () => {
      chart.current?.destroy();
      chart.current = new UPlot(
        optionsOf(element, height, latest, readout.current),
        dataOf(latest.current),
        element,
      );
    };
    draw();
    const width = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height }),
    );
    width.observe(element);
    const theme = new MutationObserver(draw);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", draw);
    return () => {
      width.disconnect();
      theme.disconnect();
      system.removeEventListener("change", draw);
      chart.current?.destroy();
      chart.current = null;
    };
  }, [shape, height]);
  useEffect(() => chart.current?.setData(dataOf({ times, series })), [times, series]);
  return (
    <div className="relative">
      <div ref={container} role="img" aria-label={label} style={{ height }} />
      <p
        ref={readout}
        aria-hidden
        className="pointer-events-none absolute right-2 top-1 rounded-md bg-raise px-2 py-1 text-xs tabular-nums shadow-float empty:hidden"
      />
    </div>
  );
}

type ChartContent = Pick<ChartProps, "times" | "series" | "write" | "writeTime"> & {
  onChoose: ChartProps["onChoose"] | undefined;
};

function dataOf({ times, series }: Pick<ChartProps, "times" | "series">): AlignedData {
  return [times.map((timeMs) => timeMs / 1_000), ...series.map(({ values }) => [...values])];
}

function optionsOf(
  element: HTMLElement,
  height: number,
  latest: { current: ChartContent },
  readout: HTMLElement | null,
): Options {
  const content = latest.current;
  const { series, write, writeTime, onChoose } = content;
  const colour = (name: string) => colourOf(element, name);
  const font = `11px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: colour("muted"), font, ticks: { show: false }, labelGap: 0 };
  const grid = { stroke: colour("line"), width: 1 };
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: onChoose !== undefined, y: false, setScale: false },
      points: { show: false },
    },
    padding: [8, 20, 0, 0],
    scales: { y: { range: (_, __, maximum) => [0, Math.max(maximum * 1.05, Number.MIN_VALUE)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        space: 80,
        values: (_, ticks) => ticks.map((seconds) => writeTime(seconds * 1_000)),
      },
      {
        ...axis,
        grid,
        size: axisWidth,
        space: 32,
        values: (_, ticks) => ticks.map((tick) => (tick === 0 ? "0" : write(tick))),
      },
    ],
    series: [{}, ...series.map((chartSeries) => seriesOf(chartSeries, colour(chartSeries.colour)))],
    hooks: {
      ready: [
        (plot) => {
          if (onChoose) chooseSteps(plot, latest);
        },
      ],
      setCursor: [
        (plot) => {
          if (readout !== null) readout.textContent = renderReadout(plot, content);
        },
      ],
    },
  };
}

function renderReadout({ cursor: { idx }, data }: UPlot, content: ChartContent): string {
  const { series, write, writeTime } = content;
  if (idx == null) return "";
  const seconds = data[0][idx];
  if (seconds === undefined) return "";
  const readings = series.flatMap(({ label }, index) => {
    const reading = data[index + 1]?.[idx];
    return reading == null ? [] : `${label} ${write(reading)}`;
  });
  return [writeTime(seconds * 1_000), ...readings].join(" · ");
}

/** A click that ends a drag is part of it. */
function chooseSteps(plot: UPlot, latest: { current: ChartContent }): void {
  let isDragged = false;
  const choose = (first: number, last: number) => latest.current.onChoose?.(first, last);
  plot.over.classList.add("cursor-pointer");
  plot.hooks.setSelect = [
    ({ select: { left, width } }) => {
      if (width === 0) return;
      isDragged = true;
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      choose(plot.posToIdx(left), plot.posToIdx(left + width));
    },
  ];
  plot.over.addEventListener("mousedown", () => {
    isDragged = false;
  });
  plot.over.addEventListener("click", () => {
    const { idx } = plot.cursor;
    if (!isDragged && idx != null) choose(idx, idx);
  });
}

function seriesOf({ label, kind }: ChartSeries, colour: string): Series {
  if (kind === "line")
    return { label, stroke: colour, width: 1.5, points: { size: 4 }, spanGaps: false };
  const bars = UPlot.paths.bars?.({ size: [0.7, 24], radius: 0.15 });
  return {
    label,
    fill: colour,
    stroke: colour,
    width: 0,
    points: { show: false },
    ...withoutUndefined({ paths: bars }),
  };
}

/** A canvas does not know the variables of the style sheet. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
