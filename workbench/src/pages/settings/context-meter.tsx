import { useQuery } from "@tanstack/react-query";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { statsQuery } from "../../api/queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { Facts, Panel } from "../../parts/page.tsx";
import { Meter } from "../../parts/sparkline.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, renderCount, Time } from "../../parts/time.tsx";

const maxTools = 15;

/** Context cost of tool definitions, by client, server and tool. */
export function ContextMeter() {
  return (
    <QueryView query={useQuery(statsQuery(maxTools))} what="Counting tokens">
      {(stats) => (
        <div className="grid items-start gap-3 xl:grid-cols-2">
          <Panel title="Total">
            <Totals stats={stats} />
          </Panel>
          <Panel flush title="Connected clients">
            <Sessions stats={stats} />
          </Panel>
          <Panel flush title="By server">
            <Costs
              rows={stats.servers.map(({ name, fullTokens, tools }) => ({
                name,
                fullTokens,
                about: counted(tools, "tool"),
              }))}
            />
          </Panel>
          <Panel flush title="Most expensive tools">
            <Costs
              rows={(stats.tools ?? []).map(({ name, fullTokens, summaryTokens }) => ({
                name,
                fullTokens,
                about: `${renderCount(summaryTokens)} as summary`,
              }))}
            />
          </Panel>
        </div>
      )}
    </QueryView>
  );
}

function Totals({ stats: { totals, lazy, tokenizer } }: { stats: AnswerOf<"stats"> }) {
  const { fullTokens, loadedTokens, savedPercent, tools } = totals;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1.5">
        <p className="text-2xl font-semibold tabular-nums tracking-tight">
          {renderCount(lazy.isActive ? loadedTokens : fullTokens)}{" "}
          <span className="text-sm font-normal text-muted">of {renderCount(fullTokens)} tokens in context</span>
        </p>
        <Meter
          value={lazy.isActive && fullTokens > 0 ? loadedTokens / fullTokens : 1}
          label={`${renderCount(loadedTokens)} of ${renderCount(fullTokens)} tokens`}
        />
      </div>
      <Facts
        items={[
          ["Tools", renderCount(tools)],
          ["Saved", lazy.isActive ? `${savedPercent.toFixed(1)} %` : `nothing; ${savedPercent.toFixed(1)} % if lazy`],
          [
            "Lazy loading",
            `${lazy.mode}, from ${renderCount(lazy.thresholdTokens)} tokens on: ${lazy.isActive ? "active" : "not active"}`,
          ],
          ["Search tools", `${renderCount(lazy.metaTokens)} tokens`],
          ["Counted with", tokenizer],
        ]}
      />
    </div>
  );
}

function Sessions({ stats: { sessions = [] } }: { stats: AnswerOf<"stats"> }) {
  if (sessions.length === 0)
    return (
      <Empty title="No MCP client is connected">
        Connect one to <code className="font-mono">{location.origin}/mcp</code>, or with{" "}
        <code className="font-mono">toolplane connect CLIENT</code>.
      </Empty>
    );
  return (
    <ul className="divide-y divide-line text-[13px]">
      {sessions.map(({ id, client, user, mode, since, tools, loaded, loadedTokens }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <span className="font-medium">{client ?? "a client"}</span>
          <Badge tone={mode === "lazy" ? "good" : "neutral"}>{mode}</Badge>
          <span className="text-muted">{user}</span>
          <span className="ml-auto tabular-nums text-muted" title={loaded.join(", ")}>
            {tools} tools, {renderCount(loadedTokens)} tokens, since <Time at={since} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Costs({ rows }: { rows: readonly { name: string; fullTokens: number; about: string }[] }) {
  const most = Math.max(1, ...rows.map(({ fullTokens }) => fullTokens));
  if (rows.length === 0) return <Empty title="No tools yet" />;
  return (
    <ul
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable
      tabIndex={0}
      className="max-h-[480px] divide-y divide-line overflow-auto text-[13px]"
    >
      {rows.map(({ name, fullTokens, about }) => (
        <li key={name} className="grid grid-cols-[minmax(0,1.2fr)_1fr_70px] items-center gap-3 px-4 py-1.5">
          <span className="min-w-0">
            <span className="block truncate font-medium">{name}</span>
            <span className="text-xs text-muted">{about}</span>
          </span>
          <Meter value={fullTokens / most} label={`${renderCount(fullTokens)} tokens`} />
          <span className="text-right tabular-nums">{renderCount(fullTokens)}</span>
        </li>
      ))}
    </ul>
  );
}
