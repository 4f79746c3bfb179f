import { Link } from "@tanstack/react-router";
import { useId } from "react";
import { classes } from "../../parts/class-names.ts";
import { renderDuration } from "../../parts/time.tsx";

export type Span = {
  key: string;
  name: string;
  startMs: number;
  ms: number;
  depth: number;
  isBad: boolean;
  note?: string;
  /** The call that it was. */
  callId?: string | undefined;
  /** The part of it in which a person was waited for. */
  wait?: { startMs: number; ms: number } | undefined;
  /** It has not ended. */
  isRunning?: boolean;
  /** A model thought, and nothing was called. */
  isModel?: boolean;
};

type WaterfallProps = { label: string; spans: readonly Span[]; totalMs: number };

const maxInSight = 12;
const columns = "grid shrink-0 grid-cols-[minmax(80px,34%)_1fr_64px] items-center gap-3";
const indents = ["", "pl-4 text-muted", "pl-8 text-muted", "pl-12 text-muted"];

/** Spans over time. Even the shortest is a visible line. */
export function Waterfall({ label, spans, totalMs }: WaterfallProps) {
  const total = Math.max(totalMs, ...spans.map(({ startMs, ms }) => startMs + ms), 0.001);
  const hasWaits = spans.some(({ wait }) => wait !== undefined);
  return (
    <div className="flex flex-col gap-1">
      <Axis total={total} />
      <ol
        aria-label={label}
        // A region that scrolls has to be reachable.
        tabIndex={spans.length > maxInSight ? 0 : undefined}
        className="flex max-h-[70dvh] flex-col overflow-y-auto text-sm"
      >
        {spans.map((span) => (
          <Row key={span.key} span={span} total={total} />
        ))}
      </ol>
      {hasWaits && (
        <p className="flex items-center gap-2 text-xs text-muted">
          <svg aria-hidden className="h-2.5 w-6">
            <WaitPattern id="waits-legend" />
            <rect width="100%" height="100%" fill="url(#waits-legend)" />
          </svg>
          waiting for approval
        </p>
      )}
    </div>
  );
}

/** Marks at the quarters; the last is the end. */
function Axis({ total }: { total: number }) {
  return (
    <div aria-hidden className={classes(columns, "text-2xs tabular-nums text-muted")}>
      <span />
      <span className="flex justify-between border-b border-line pb-0.5">
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share} className={share === 0.25 || share === 0.75 ? "max-sm:hidden" : ""}>
            {share === 0 ? "0" : renderDuration(total * share)}
          </span>
        ))}
      </span>
      <span />
    </div>
  );
}

function Row({ span, total }: { span: Span; total: number }) {
  const { name, ms, depth, note, callId } = span;
  return (
    <li className={classes(columns, "border-b border-line/60 py-1 last:border-0")}>
      <span
        className={classes("min-w-0 truncate", indents[Math.min(depth, 3)])}
        title={note ? `${name}: ${note}` : name}
      >
        {callId === undefined ? (
          name
        ) : (
          <Link to="/calls/$id" params={{ id: callId }} className="hover:underline">
            {name}
          </Link>
        )}
        {note !== undefined && <span className="sr-only">, {note}</span>}
      </span>
      {callId === undefined ? (
        <Bar span={span} total={total} />
      ) : (
        // For the pointer; the name is the same link for everyone.
        <Link aria-hidden tabIndex={-1} to="/calls/$id" params={{ id: callId }} title={name}>
          <Bar span={span} total={total} />
        </Link>
      )}
      <span className="text-right tabular-nums text-muted">{renderDuration(ms)}</span>
    </li>
  );
}

function Bar({ span, total }: { span: Span; total: number }) {
  const position = (timeMs: number) => `${Math.min(99.7, (timeMs / total) * 100)}%`;
  const width = (durationMs: number) => `${Math.max(0.3, (durationMs / total) * 100)}%`;
  const { startMs, ms, wait, isRunning } = span;
  const pattern = useId();
  return (
    <svg aria-hidden className="block h-2.5 w-full">
      <rect width="100%" height="10" className="fill-sunken" />
      <rect
        x={position(startMs)}
        width={width(ms)}
        height="10"
        className={classes(colourOf(span), isRunning && "animate-pulse")}
      />
      {wait && (
        <>
          <WaitPattern id={pattern} />
          <rect
            x={position(wait.startMs)}
            width={width(wait.ms)}
            height="10"
            fill={`url(#${pattern})`}
          />
        </>
      )}
    </svg>
  );
}

function colourOf({ isBad, isModel, depth }: Span): string {
  if (isBad) return "fill-bad";
  if (isModel) return "fill-muted";
  return depth > 0 ? "fill-accent" : "fill-accent-fill";
}

/** Not a colour alone: a person who cannot tell colours apart sees the stripes. */
function WaitPattern({ id }: { id: string }) {
  return (
    <defs>
      <pattern
        id={id}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect width="6" height="6" className="fill-warn-soft" />
        <rect width="3" height="6" className="fill-warn" />
      </pattern>
    </defs>
  );
}
