import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type CallSummary, type Range, summaryQuery } from "../../api/history-queries.ts";
import { classes } from "../../parts/class-names.ts";
import { Select } from "../../parts/field.tsx";
import { Panel } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { renderCount, renderDuration, renderPercent } from "../../parts/time.tsx";

type Kind = "tools" | "servers" | "users";
type Row = CallSummary["tools"][number];

const orders = {
  calls: { text: "Most called", of: ({ calls }: Row) => calls },
  slow: { text: "Slowest (p95)", of: ({ p95Ms }: Row) => p95Ms },
  failing: {
    text: "Most failing",
    of: ({ errors, calls }: Row) => errors * 1_000 + errors / calls,
  },
} as const;
type Order = keyof typeof orders;

/** Who and what the calls were, with a way to each. */
export function Breakdown({ range }: { range: Range }) {
  const [order, setOrder] = useState<Order>("calls");
  const summary = useQuery(summaryQuery(range));
  return (
    <Panel
      title="By tool, server and user"
      actions={
        <Select
          aria-label="Order"
          className="w-40!"
          value={order}
          onChange={({ target }) => setOrder(target.value as Order)}
          options={Object.entries(orders).map(([value, { text }]) => ({ value, text }))}
        />
      }
    >
      <QueryView query={summary}>
        {(data) => (
          <>
            <Tabs
              label="By"
              tabs={(["tools", "servers", "users"] as const).map((kind) => ({
                name: kind,
                title: kind[0]?.toUpperCase() + kind.slice(1),
                content: <Rows kind={kind} rows={data[kind]} order={order} />,
              }))}
            />
            {!data.isWhole && (
              <p className="mt-2 text-xs text-muted">
                Of the newest {renderCount(data.calls)} calls of this time.
              </p>
            )}
          </>
        )}
      </QueryView>
    </Panel>
  );
}

const maxRows = 10;

function Rows({ kind, rows, order }: { kind: Kind; rows: readonly Row[]; order: Order }) {
  const { of: measure } = orders[order];
  const shownRows = rows.toSorted((a, b) => measure(b) - measure(a)).slice(0, maxRows);
  const maxCalls = Math.max(...shownRows.map(({ calls }) => calls), 1);
  if (shownRows.length === 0) return <Empty title="No calls in this time" />;
  return (
    <ul className="flex flex-col text-sm">
      {shownRows.map((row) => (
        <li
          key={row.name}
          className="grid grid-cols-[minmax(0,2fr)_minmax(40px,1fr)_minmax(72px,max-content)] items-center gap-3 border-b border-line/60 py-2 last:border-0 sm:grid-cols-[minmax(0,2fr)_minmax(40px,1fr)_56px_88px_96px]"
        >
          <Target kind={kind} name={row.name} />
          <svg
            aria-hidden
            viewBox="0 0 1000 10"
            preserveAspectRatio="none"
            className="h-2.5 w-full"
          >
            <rect width="1000" height="10" className="fill-sunken" />
            <rect width={(row.calls / maxCalls) * 1_000} height="10" className="fill-plot" />
            <rect width={(row.errors / maxCalls) * 1_000} height="10" className="fill-bad" />
          </svg>
          <span className="whitespace-nowrap text-right tabular-nums">
            {renderCount(row.calls)}
          </span>
          <span
            className={classes(
              "whitespace-nowrap text-right tabular-nums max-sm:hidden",
              toneOf(row),
            )}
          >
            {row.errors === 0 ? "–" : `${renderPercent((row.errors / row.calls) * 100)} err`}
          </span>
          <span className="whitespace-nowrap text-right tabular-nums text-muted max-sm:hidden">
            p95 {renderDuration(row.p95Ms)}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How bad it is, seen before it is read. */
function toneOf({ errors, calls }: Row): string {
  if (errors === 0) return "text-muted";
  return errors / calls < 0.05 ? "text-warn" : "font-semibold text-bad";
}

function Target({ kind, name }: { kind: Kind; name: string }) {
  const linkClass = "truncate font-medium hover:underline";
  if (kind === "servers")
    return (
      <Link to="/servers/$name" params={{ name }} className={linkClass}>
        {name}
      </Link>
    );
  return (
    <Link
      to="/calls"
      search={kind === "tools" ? { tool: name } : { user: name }}
      className={linkClass}
    >
      {name}
    </Link>
  );
}
