import { classes } from "./class-names.ts";

type SparklineProps = {
  values: readonly number[];
  /** Indexes of failures. */
  marked?: readonly number[];
  /** The accessible description. */
  label: string;
  className?: string;
};

const width = 100;
const height = 24;

/** A line without axes. */
export function Sparkline({ values, marked = [], label, className }: SparklineProps) {
  const maximum = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 2 - (value / maximum) * (height - 4)).toFixed(1)}`,
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={classes("h-6 w-24 text-accent", className)}
    >
      {marked.map((index) => (
        <line
          key={index}
          x1={index * step}
          x2={index * step}
          y1={0}
          y2={height}
          className="stroke-bad/60"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      <polyline
        points={points.join(" ")}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** A meter; `value` from 0 to 1. */
export function Meter({
  value,
  label,
  className = "fill-accent-fill",
}: {
  value: number;
  label: string;
  className?: string;
}) {
  const share = Math.min(1, Math.max(0, value)) * 100;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className="h-1.5 w-full rounded-full"
    >
      <rect width="100" height="4" className="fill-sunken" />
      <rect width={share} height="4" className={className} />
    </svg>
  );
}
