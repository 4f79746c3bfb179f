type Line = { name: string; values: readonly (number | null)[]; className: string };

type LinesProps = { lines: readonly Line[]; label: string; className?: string };

const height = 100;

/** Several lines over the same time, with gaps where there is no data. */
export function Lines({ lines, label, className = "h-16 w-full" }: LinesProps) {
  const most = Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0)), 0.001);
  const length = Math.max(1, ...lines.map(({ values }) => values.length));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${length} ${height}`}
      preserveAspectRatio="none"
      className={className}
    >
      {lines.map(({ name, values, className: look }) => (
        <path
          key={name}
          d={pathOf(values, most)}
          fill="none"
          strokeWidth="1.5"
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
          className={look}
        />
      ))}
    </svg>
  );
}

/** A lone value is a dash as wide as its step. */
function pathOf(values: readonly (number | null)[], most: number): string {
  const isKnown = (at: number) => typeof values[at] === "number";
  const steps = values.flatMap((value, at) => {
    if (value === null) return [];
    const level = (height - 3 - (value / most) * (height - 6)).toFixed(1);
    if (!isKnown(at - 1) && !isKnown(at + 1)) return `M${at + 0.15},${level} L${at + 0.85},${level}`;
    return `${isKnown(at - 1) ? "L" : "M"}${at + 0.5},${level}`;
  });
  return steps.join(" ");
}
