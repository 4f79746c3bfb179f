import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { compareText } from "../../../../src/lib/text/wording.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { statsQuery, usageQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { LongName } from "../../parts/long-name.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Meter } from "../../parts/sparkline.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, renderCount, renderPercent, Time } from "../../parts/time.tsx";
import { ClientContexts } from "./client-contexts.tsx";
import { costsOf, lazyCostOf, type ToolCost } from "./tool-use.ts";
import { UnusedTools } from "./unused-tools.tsx";

type Stats = AnswerOf<"stats">;

const route = getRouteApi("/context");

/** What models pay for definitions of tools, beside what they use. */
export function ContextPage() {
  return (
    <Page
      title="Context"
      about="What each model pays for the definitions of tools, and which of them it uses."
    >
      <QueryView query={useQuery(statsQuery(true))} what="Counting tokens">
        {(stats) => <StatsView stats={stats} />}
      </QueryView>
    </Page>
  );
}

function StatsView({ stats }: { stats: Stats }) {
  const mayManage = useMay("admin");
  const usage = useQuery({ ...usageQuery(), enabled: mayManage }).data;
  const costs = costsOf(stats, usage);
  return (
    <>
      <Totals stats={stats} />
      {mayManage && <UnusedTools costs={costs} usage={usage} />}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <ToolCosts costs={costs} />
        <div className="flex min-w-0 flex-col gap-4">
          <Panel flush title="By server">
            <ServerCosts stats={stats} />
          </Panel>
          <Panel flush title="Connected clients">
            <ClientContexts connect stats={stats} />
          </Panel>
        </div>
      </div>
    </>
  );
}

/** The newest calls, of which conversations are counted. */
const historyLimit = 1_000;

function Totals({ stats }: { stats: Stats }) {
  const { totals, lazy, tokenizer } = stats;
  const history = useOperation("calls.list", { limit: historyLimit });
  const measuredCost = lazyCostOf(history.data?.calls ?? [], stats);
  const startTokens = lazy.isActive ? totals.loadedTokens : totals.fullTokens;
  return (
    <section aria-label="Totals" className="grid gap-4 sm:grid-cols-3">
      <Figure
        title={
          lazy.isActive ? "At the start, with lazy loading" : "At the start of every conversation"
        }
        value={startTokens}
      >
        {counted(totals.tools, "tool")}, counted with {tokenizer}
      </Figure>
      <Figure title="All definitions at once" value={totals.fullTokens}>
        Lazy loading is {lazy.isActive ? "active" : "not active"} (mode {lazy.mode}, from{" "}
        {renderCount(lazy.thresholdTokens)} tokens on)
      </Figure>
      {measuredCost === null ? (
        <Figure title="With lazy loading" value={lazy.metaTokens}>
          The search tools, and what a conversation then loads.{" "}
          {history.isPending ? "Looking through your history …" : "None is recorded yet."}
        </Figure>
      ) : (
        <Figure title="With lazy loading, by your own history" value={measuredCost.tokens}>
          On average over {counted(measuredCost.conversations, "conversation")}:{" "}
          {savedText(measuredCost.tokens, totals.fullTokens)}
        </Figure>
      )}
    </section>
  );
}

function savedText(lazyTokens: number, fullTokens: number): string {
  const share = (1 - lazyTokens / Math.max(1, fullTokens)) * 100;
  return share >= 1 ? `${renderPercent(share)} less than all at once` : "no less than all at once";
}

function Figure({
  title,
  value,
  children,
}: {
  title: string;
  value: number;
  children: React.ReactNode;
}) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4">
      <h2 className="text-xs font-medium text-muted">{title}</h2>
      <p className="text-2xl font-semibold tabular-nums tracking-tight">
        {renderCount(value)} <span className="text-sm font-normal text-muted">tokens</span>
      </p>
      <p className="mt-1 text-xs text-muted">{children}</p>
    </div>
  );
}

const orders: Record<string, (a: ToolCost, b: ToolCost) => number> = {
  tokens: (a, b) => a.tokens - b.tokens,
  name: (a, b) => compareText(a.name, b.name),
  used: (a, b) => (a.lastAt ?? "").localeCompare(b.lastAt ?? ""),
};

function ToolCosts({ costs }: { costs: readonly ToolCost[] }) {
  const { sort = "-tokens" } = route.useSearch();
  const navigate = useNavigate();
  const maxTokens = Math.max(1, ...costs.map(({ tokens }) => tokens));
  const columns: readonly Column<ToolCost>[] = [
    {
      title: "Tool",
      sort: "name",
      width: "minmax(140px, 2fr)",
      render: ({ name }) => (
        <Link
          to="/tools/$name"
          params={{ name }}
          className="font-mono text-xs font-medium hover:underline"
        >
          <LongName name={name} />
        </Link>
      ),
    },
    {
      title: "Share",
      width: "minmax(40px, 1fr)",
      wide: true,
      render: ({ tokens }) => (
        <Meter value={tokens / maxTokens} label={`${renderCount(tokens)} tokens`} />
      ),
    },
    {
      title: "Tokens",
      sort: "tokens",
      width: "90px",
      align: "right",
      render: ({ tokens }) => renderCount(tokens),
    },
    {
      title: "Last called",
      sort: "used",
      isLargestFirst: true,
      width: "110px",
      render: ({ lastAt }) =>
        lastAt === null ? <span className="text-muted">never</span> : <Time at={lastAt} />,
    },
  ];
  const order = orders[sort.replace(/^-/, "")] ?? orders.tokens;
  const rows = costs.toSorted((a, b) => (order?.(a, b) ?? 0) * (sort.startsWith("-") ? -1 : 1));
  return (
    <div className="flex h-[560px] min-w-0 flex-col">
      <DataTable
        label="Tools by cost"
        columns={columns}
        rows={rows}
        keyOf={({ name }) => name}
        sort={sort}
        onSort={(next) =>
          void navigate({
            to: "/context",
            search: withoutUndefined({ sort: next }),
            replace: true,
          })
        }
        empty={<Empty title="No tools yet" />}
      />
    </div>
  );
}

function ServerCosts({ stats: { servers } }: { stats: Stats }) {
  const maxTokens = Math.max(1, ...servers.map(({ fullTokens }) => fullTokens));
  if (servers.length === 0) return <Empty title="No servers yet" />;
  return (
    <ul className="divide-y divide-line text-sm">
      {servers.map(({ name, fullTokens, tools }) => (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_70px_64px] items-center gap-3 px-4 py-1.5"
        >
          <span className="min-w-0">
            <span className="block truncate font-medium">
              {name.startsWith("(") ? (
                name
              ) : (
                <Link to="/servers/$name" params={{ name }} className="hover:underline">
                  {name}
                </Link>
              )}
            </span>
            <span className="text-xs text-muted">{counted(tools, "tool")}</span>
          </span>
          <Meter value={fullTokens / maxTokens} label={`${renderCount(fullTokens)} tokens`} />
          <span className="text-right tabular-nums">{renderCount(fullTokens)}</span>
        </li>
      ))}
    </ul>
  );
}
