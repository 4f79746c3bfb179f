import { getRouteApi, Link } from "@tanstack/react-router";
import { costText } from "../../../../src/lib/text/wording.ts";
import type { AgentRun } from "../../../../src/model/agent/run-schema.ts";
import { useOperation } from "../../api/operations.ts";
import { CodeView, CopyButton } from "../../parts/code-view.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { Conversation, textIn } from "./conversation.tsx";
import { isProgramRun } from "./program.tsx";
import { isWholeFinish, RunMarks, renderFinish } from "./run-marks.tsx";
import { OutcomeBadge } from "./runs-table.tsx";
import { type Span, Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/runs/$id");

export function RunPage() {
  const { id } = route.useParams();
  return (
    <QueryPage query={useOperation("runs.get", { id })} title="Agent run" back={<AllRuns />}>
      {(run) => <RunView run={run} />}
    </QueryPage>
  );
}

function AllRuns() {
  return (
    <Link to="/calls" search={{ view: "runs" }} className="hover:underline">
      ← All runs
    </Link>
  );
}

function RunView({ run }: { run: AgentRun }) {
  const { id, question, outcome, error, durationMs, steps } = run;
  const isProgram = isProgramRun(run);
  return (
    <Page
      title={
        <>
          <span className="line-clamp-2 min-w-0 break-words">{isProgram ? "Program" : question}</span>{" "}
          <OutcomeBadge outcome={outcome} />
        </>
      }
      about={<AllRuns />}
      actions={
        <>
          <Link to="/calls" search={{ run: id }} className="text-[13px] text-accent hover:underline">
            Its calls
          </Link>
          <CopyButton text={location.href} label="Copy the link to this run" />
        </>
      }
    >
      {error && <Complaint error={`${error.code}: ${error.message}`} />}
      <RunMarks run={run} />
      <div className="grid items-start gap-3 xl:grid-cols-[3fr_2fr]">
        {isProgram ? (
          <ProgramView run={run} />
        ) : (
          <Panel title="Conversation">
            <Conversation run={run} />
          </Panel>
        )}
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title="Run">
            <RunFacts run={run} />
          </Panel>
          <Panel title={`Timing: ${renderDuration(durationMs)}`}>
            <Waterfall
              label={isProgram ? "Calls of the program" : "Turns and calls"}
              spans={steps.flatMap((step) => stepSpans(step, run.at)).slice(isProgram ? 1 : 0)}
              totalMs={durationMs}
            />
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** A program of code mode: what ran, what it wrote, what it gave. */
function ProgramView({ run: { question, answer, messages } }: { run: AgentRun }) {
  const logs = messages.filter(({ role }) => role === "assistant").map(({ content }) => textIn(content));
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Panel title="Program">
        <CodeView label="the program" text={question} />
      </Panel>
      {logs.length > 0 && (
        <Panel title="Logs">
          <CodeView wrap label="the logs" text={logs.join("\n")} />
        </Panel>
      )}
      <Panel title="Value">
        {answer === null ? (
          <p className="text-[13px] text-muted">The program gave no value.</p>
        ) : (
          <CodeView wrap label="the value" text={pretty(answer)} />
        )}
      </Panel>
    </div>
  );
}

const styleNames: Partial<Record<AgentRun["style"], string>> = {
  tools: "tool calls",
  react: "ReACT",
  code: "programs",
};

function RunFacts({ run }: { run: AgentRun }) {
  const isProgram = isProgramRun(run);
  const { at, user, model, style, toolset, turns, usage, counters, steps, trace } = run;
  const last = steps.at(-1);
  const sampled = steps.reduce((sum, step) => sum + (step.sampled?.totalTokens ?? 0), 0);
  return (
    <Facts
      items={[
        [
          "Id",
          <span key="id" className="-my-1.5 flex items-center gap-1 font-mono text-xs">
            <span className="truncate">{run.id}</span>
            <CopyButton text={run.id} label="Copy the id" />
          </span>,
        ],
        ["When", <Time full key="at" at={at} />],
        ["Asked by", user],
        ["Model", isProgram ? null : `${model}, ${styleNames[style] ?? style}`],
        ["Toolset", !isProgram && (toolset ?? "every tool")],
        [
          "Conversation",
          <Link
            key="conversation"
            to="/calls"
            search={{ conversation: run.conversation }}
            className="break-all text-accent hover:underline"
          >
            {run.title ?? run.conversation}
          </Link>,
        ],
        ["Turns", !isProgram && turns],
        ["Calls", counters.totalToolCalls],
        ["Tokens", !isProgram && `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`],
        ["Cost", usage.cost && costText(usage.cost)],
        ["Sampled", sampled > 0 && `${renderCount(sampled)} tokens, requested by servers`],
        ["Finish", !isProgram && last && renderFinish(last.finish)],
        ["Kept", !isProgram && trace.replace("_", " ")],
      ]}
    />
  );
}

function stepSpans({ turn, at, modelMs, finish, calls }: AgentRun["steps"][number], begunAt: string): Span[] {
  const since = (time: string) => Math.max(0, Date.parse(time) - Date.parse(begunAt));
  return [
    {
      key: `turn ${turn}`,
      name: `model, turn ${turn}`,
      startMs: since(at),
      ms: modelMs,
      depth: 0,
      isBad: !isWholeFinish(finish),
      note: renderFinish(finish),
    },
    ...calls.map(({ id, tool, at: calledAt, durationMs, status, record }) => ({
      callId: record ?? undefined,
      key: `turn ${turn} ${id}`,
      name: tool,
      depth: 1,
      ms: durationMs,
      note: status,
      startMs: calledAt === undefined ? since(at) + modelMs : since(calledAt),
      isBad: status !== "succeeded",
    })),
  ];
}
