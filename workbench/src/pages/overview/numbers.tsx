import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CallSeries } from "../../../../src/model/calls/call-schema.ts";
import { type Range, ranges } from "../../api/history-queries.ts";
import { serversQuery, statsQuery } from "../../api/queries.ts";
import { classes } from "../../parts/class-names.ts";
import { Meter } from "../../parts/sparkline.tsx";
import { counted, renderCount, renderDuration, renderPercent } from "../../parts/time.tsx";

const recentMinutes = 5;
/** From here on the figure itself says that something is wrong. */
const badRate = 0.05;
const unknown = "…";

type NumbersProps = { series: CallSeries | null; range: Range };

/** Key figures; null until the calls are loaded. */
export function Numbers({ series, range }: NumbersProps) {
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-6 xl:grid-cols-5">
      <ServerNumber />
      <CallNumbers series={series} range={range} />
      <SavedNumber />
    </div>
  );
}

function ServerNumber() {
  const servers = useQuery(serversQuery()).data?.servers;
  const tools = useQuery(statsQuery()).data?.totals.tools;
  const expected = servers?.filter(({ state }) => state !== "disabled") ?? [];
  const countOf = (...states: string[]) =>
    expected.filter(({ state }) => states.includes(state)).length;
  const connected = countOf("connected");
  const inTrouble = countOf("error", "config_error", "untrusted", "backoff");
  const idle = expected.filter((server) => server.idle).length;
  const installing = expected.filter((server) => server.installing).length;
  const disconnected = countOf("disconnected") - idle;
  const states = [
    `${connected} connected`,
    idle > 0 && `${idle} idle`,
    installing > 0 && `${installing} installing`,
    disconnected > 0 && `${disconnected} disconnected`,
    inTrouble > 0 && `${inTrouble} in trouble`,
  ].filter((text) => text !== false);
  return (
    <NumberCard
      title="Servers ready"
      value={servers ? `${connected + idle} of ${expected.length}` : unknown}
    >
      {servers && states.join(", ")}
      {tools !== undefined && `; ${counted(tools, "tool")}`}
    </NumberCard>
  );
}

function CallNumbers({ series, range }: NumbersProps) {
  const { title, minutes } = ranges[range];
  const span = title.toLowerCase();
  const { calls, errors, p50Ms, p95Ms } = series?.total ?? {
    calls: 0,
    errors: 0,
    p50Ms: null,
    p95Ms: null,
  };
  const recentCalls =
    series?.steps.slice(-recentMinutes).reduce((sum, step) => sum + step.calls, 0) ?? 0;
  const orUnknown = (value: string) => (series === null ? unknown : value);
  return (
    <>
      <NumberCard
        title="Calls per minute"
        value={orUnknown(
          range === "hour" ? perMinute(recentCalls, recentMinutes) : perMinute(calls, minutes),
        )}
      >
        {range === "hour" && `over ${recentMinutes} minutes; `}
        {orUnknown(renderCount(calls))} in the {span}
      </NumberCard>
      <NumberCard
        title="Error rate"
        tone={errors / calls >= badRate ? "text-bad" : "text-ink"}
        value={orUnknown(calls === 0 ? "–" : renderPercent((errors / calls) * 100))}
      >
        {series === null && "not loaded yet"}
        {series !== null && calls === 0 && `no calls in the ${span}`}
        {calls > 0 && (
          <>
            {renderCount(errors)}{" "}
            <Link to="/calls" search={{ status: "failed" }} className="underline hover:text-ink">
              failed
            </Link>
            ,{" "}
            <Link to="/calls" search={{ status: "refused" }} className="underline hover:text-ink">
              refused
            </Link>{" "}
            or{" "}
            <Link
              to="/calls"
              search={{ status: "tool_error" }}
              className="underline hover:text-ink"
            >
              tool errors
            </Link>{" "}
            in the {span}
          </>
        )}
      </NumberCard>
      <NumberCard
        width="lg:max-xl:col-span-3"
        title="Latency"
        value={orUnknown(p50Ms === null ? "–" : renderDuration(p50Ms))}
      >
        {series === null && "not loaded yet"}
        {series !== null && p95Ms === null && "no calls yet"}
        {p95Ms !== null && `p50; p95 ${renderDuration(p95Ms)}`}
      </NumberCard>
    </>
  );
}

function perMinute(count: number, minutes: number): string {
  if (count > 0 && count / minutes < 0.05) return "< 0.1";
  return (count / minutes).toFixed(count > 0 && count < minutes * 10 ? 1 : 0);
}

function SavedNumber() {
  const stats = useQuery(statsQuery()).data;
  const { fullTokens = 0, loadedTokens = 0, savedPercent: ifLazy = 0 } = stats?.totals ?? {};
  const isLazy = stats?.lazy.isActive ?? false;
  const saved = isLazy && fullTokens > 0 ? (1 - loadedTokens / fullTokens) * 100 : 0;
  return (
    <NumberCard
      width="max-lg:col-span-2 lg:max-xl:col-span-3"
      title="Tokens saved"
      value={stats ? renderPercent(saved) : unknown}
    >
      <Meter
        value={saved / 100}
        label={`${renderCount(fullTokens - loadedTokens)} of ${renderCount(fullTokens)} tokens`}
        className="fill-good"
      />
      <span className="mt-1 block">
        {stats === undefined && "not counted yet"}
        {isLazy &&
          `${renderCount(loadedTokens)} instead of ${renderCount(fullTokens)} in a model's context`}
        {stats !== undefined &&
          !isLazy &&
          `all ${renderCount(fullTokens)} tokens are loaded; ${renderPercent(ifLazy)} less when lazy`}
      </span>
    </NumberCard>
  );
}

type NumberCardProps = {
  title: string;
  value: string;
  children: ReactNode;
  width?: string;
  tone?: string;
};

/** Five cards, in two or six columns. */
function NumberCard({
  title,
  value,
  children,
  width = "lg:max-xl:col-span-2",
  tone,
}: NumberCardProps) {
  return (
    <section
      className={classes(
        "min-h-31 rounded-lg border border-line bg-surface px-4 py-3 shadow-raised",
        width,
      )}
    >
      <h2 className="text-xs font-medium text-muted">{title}</h2>
      <p className={classes("mt-0.5 text-2xl font-semibold tabular-nums tracking-tight", tone)}>
        {value}
      </p>
      <div className="mt-1 text-xs text-muted">{children}</div>
    </section>
  );
}
