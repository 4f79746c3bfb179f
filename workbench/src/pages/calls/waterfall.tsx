import { Link } from "@tanstack/react-router";
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
};

type WaterfallProps = { label: string; spans: readonly Span[]; totalMs: number };

const maxInSight = 12;

/** Spans over time. Even the shortest is a visible line. */
export function Waterfall({ label, spans, totalMs }: WaterfallProps) {
  const total = Math.max(totalMs, ...spans.map(({ startMs, ms }) => startMs + ms), 0.001);
  return (
    <ol
      aria-label={label}
      // A region that scrolls has to be reachable.
      tabIndex={spans.length > maxInSight ? 0 : undefined}
      className="flex max-h-[70dvh] flex-col overflow-y-auto text-[13px]"
    >
      {spans.map(({ key, name, startMs, ms, depth, isBad, note, callId }) => (
        <li
          key={key}
          className="grid shrink-0 grid-cols-[minmax(80px,40%)_1fr_64px] items-center gap-3 border-b border-line/60 py-1 last:border-0"
        >
          <span className={classes("min-w-0 truncate", depth > 0 && "pl-4 text-muted")} title={note}>
            {callId === undefined ? (
              name
            ) : (
              <Link to="/calls/$id" params={{ id: callId }} className="hover:underline">
                {name}
              </Link>
            )}
            {note !== undefined && <span className="sr-only">, {note}</span>}
          </span>
          <svg aria-hidden viewBox="0 0 1000 10" preserveAspectRatio="none" className="h-2.5 w-full">
            <rect width="1000" height="10" className="fill-sunken" />
            <rect
              x={Math.min(997, (startMs / total) * 1_000)}
              width={Math.max(3, (ms / total) * 1_000)}
              height="10"
              className={isBad ? "fill-bad" : depth > 0 ? "fill-accent" : "fill-accent-fill"}
            />
          </svg>
          <span className="text-right tabular-nums text-muted">{renderDuration(ms)}</span>
        </li>
      ))}
    </ol>
  );
}
