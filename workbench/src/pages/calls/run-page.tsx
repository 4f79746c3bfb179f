import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AgentRun } from "../../../../src/model/agent-run.ts";
import { runQuery } from "../../api/queries.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { Conversation } from "./conversation.tsx";
import { OutcomeBadge } from "./runs-table.tsx";
import { type Span, Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/runs/$id");

export function RunPage() {
  const { id } = route.useParams();
  return <QueryView query={useQuery(runQuery(id))}>{(run) => <RunView run={run} />}</QueryView>;
}

function RunView({ run }: { run: AgentRun }) {
  const { question, outcome, error, durationMs, steps } = run;
  return (
    <Page
      title={
        <>
          {question} <OutcomeBadge outcome={outcome} />
        </>
      }
      about={
        <Link to="/calls" search={{ view: "runs" }} className="hover:underline">
          ← All runs
        </Link>
      }
    >
      {error && <Complaint error={`${error.code}: ${error.message}`} />}
      <div className="grid items-start gap-3 xl:grid-cols-[3fr_2fr]">
        <Panel title="Conversation">
          <Conversation run={run} />
        </Panel>
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title="Run">
            <RunFacts run={run} />
          </Panel>
          <Panel title={`Where ${renderDuration(durationMs)} went`}>
            <Waterfall
              label="Turns and calls"
              spans={steps.flatMap((step) => stepSpans(step, run.at))}
              totalMs={durationMs}
            />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function RunFacts({ run }: { run: AgentRun }) {
  const { at, user, model, style, toolset, turns, usage, counters, trace } = run;
  return (
    <Facts
      items={[
        ["When", <Time key="at" at={at} />],
        ["Asked by", user],
        ["Model", `${model}, ${style === "react" ? "ReACT" : "tool calls"}`],
        ["Toolset", toolset ?? "every tool"],
        ["Turns", turns],
        ["Calls", counters.totalToolCalls],
        ["Tokens", `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`],
        ["Kept", trace.replace("_", " ")],
      ]}
    />
  );
}

function stepSpans({ turn, at, modelMs, calls }: AgentRun["steps"][number], begunAt: string): Span[] {
  const since = (time: string) => Math.max(0, Date.parse(time) - Date.parse(begunAt));
  return [
    {
      key: `turn ${turn}`,
      name: `model, turn ${turn}`,
      startMs: since(at),
      ms: modelMs,
      depth: 0,
      isBad: false,
    },
    ...calls.map(({ id, tool, at: calledAt, durationMs, status }) => ({
      ...{ key: `turn ${turn} ${id}`, name: tool, depth: 1, ms: durationMs, note: status },
      startMs: calledAt === undefined ? since(at) + modelMs : since(calledAt),
      isBad: status !== "succeeded",
    })),
  ];
}
