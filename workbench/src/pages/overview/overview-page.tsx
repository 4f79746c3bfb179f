import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { serversQuery, statsQuery } from "../../api/queries.ts";
import { Page, Panel } from "../../parts/page.tsx";
import { Bars, Meter } from "../../parts/sparkline.tsx";
import { QueryView } from "../../parts/states.tsx";
import { renderCount, useNow } from "../../parts/time.tsx";
import { byMinute, type Minute, useCallHistory } from "./call-history.ts";
import { NeedsYou } from "./needs-you.tsx";
import { RecentCalls, ServerList } from "./short-lists.tsx";

const minutes = 60;

export function OverviewPage() {
  const now = useNow();
  const history = useCallHistory();
  const bins = byMinute(history.data ?? [], Math.max(now, history.data?.[0]?.at ?? 0), minutes);
  return (
    <Page title="Overview">
      <div className="grid grid-cols-2 gap-3 xl:grid-cols-4">
        <Numbers bins={history.data ? bins : null} />
      </div>
      <div className="grid items-start gap-3 xl:grid-cols-[2fr_1fr]">
        <Panel title="Calls per minute, last hour">
          <QueryView query={history}>{() => <CallsPlot bins={bins} />}</QueryView>
        </Panel>
        <NeedsYou />
        <RecentCalls />
        <ServerList />
      </div>
    </Page>
  );
}

/** Null as long as the calls are not known. */
function Numbers({ bins: known }: { bins: readonly Minute[] | null }) {
  const bins = known ?? [];
  const servers = useQuery(serversQuery()).data?.servers;
  const stats = useQuery(statsQuery()).data;
  const total = sum(bins.map(({ good, bad }) => good + bad));
  const bad = sum(bins.map((bin) => bin.bad));
  const recent = sum(bins.slice(-5).map(({ good, bad: wrong }) => good + wrong));
  const expected = servers?.filter(({ state }) => state !== "disabled") ?? [];
  const connected = expected.filter(({ state }) => state === "connected").length;
  const { fullTokens = 0, loadedTokens = 0, savedPercent = 0, tools = 0 } = stats?.totals ?? {};
  const isLazy = stats?.lazy.isActive ?? false;
  return (
    <>
      <NumberCard title="Servers connected" value={servers ? `${connected} of ${expected.length}` : "…"}>
        {renderCount(tools)} tools in the catalogue
      </NumberCard>
      <NumberCard
        title="Calls per minute"
        value={known ? (recent / 5).toFixed(recent > 0 && recent < 50 ? 1 : 0) : "…"}
      >
        over five minutes; {renderCount(total)} in the last hour
      </NumberCard>
      <NumberCard
        title="Error rate"
        value={known === null ? "…" : total === 0 ? "–" : `${((bad / total) * 100).toFixed(1)} %`}
      >
        {total === 0 ? "no calls in the last hour" : `${renderCount(bad)} failed or refused in the last hour`}
      </NumberCard>
      <NumberCard title="Tokens saved" value={stats ? `${isLazy ? savedPercent.toFixed(0) : 0} %` : "…"}>
        <Meter
          value={isLazy ? savedPercent / 100 : 0}
          label={`${renderCount(fullTokens - loadedTokens)} of ${renderCount(fullTokens)} tokens`}
          className="fill-good"
        />
        <span className="mt-1 block">
          {isLazy
            ? `${renderCount(loadedTokens)} instead of ${renderCount(fullTokens)} in a model's context`
            : `all ${renderCount(fullTokens)} tokens are loaded; ${savedPercent.toFixed(0)} % less when lazy`}
        </span>
      </NumberCard>
    </>
  );
}

function NumberCard({ title, value, children }: { title: string; value: string; children: ReactNode }) {
  return (
    <section className="rounded-lg border border-line bg-surface px-4 py-3">
      <h2 className="text-xs font-medium text-muted">{title}</h2>
      <p className="mt-0.5 text-2xl font-semibold tabular-nums tracking-tight">{value}</p>
      <div className="mt-1 text-xs text-muted">{children}</div>
    </section>
  );
}

function CallsPlot({ bins }: { bins: readonly Minute[] }) {
  const most = Math.max(...bins.map(({ good, bad }) => good + bad));
  const total = sum(bins.map(({ good, bad }) => good + bad));
  return (
    <div>
      <p className="mb-1 flex gap-4 text-xs text-muted">
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-sm bg-accent-fill" /> answered
        </span>
        <span className="flex items-center gap-1.5">
          <span aria-hidden className="size-2 rounded-sm bg-bad" /> failed or refused
        </span>
        <span className="ml-auto tabular-nums">at most {most} a minute</span>
      </p>
      <Bars
        label={`${total} calls in the last hour, at most ${most} a minute`}
        className="h-32 border-b border-line"
        bars={bins.map(({ at, good, bad }) => ({
          label: `${clock(at)}: ${good + bad} calls, ${bad} failed`,
          parts: [
            { value: bad, className: "fill-bad" },
            { value: good, className: "fill-accent-fill" },
          ],
        }))}
      />
      <p className="mt-1 flex justify-between text-[11px] tabular-nums text-muted">
        {[0, 15, 30, 45].map((at) => (
          <span key={at}>{clock(bins[at]?.at ?? 0)}</span>
        ))}
        <span>now</span>
      </p>
    </div>
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const clock = (at: number) => new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
