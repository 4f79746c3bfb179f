import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { costText } from "../../../../src/lib/text/wording.ts";
import type { AgentRun } from "../../../../src/model/agent/run-schema.ts";
import { liveRunQuery } from "../../api/history-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView, CopyButton } from "../../parts/code-view.tsx";
import { FileText } from "../../parts/icons.ts";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { Conversation, textIn } from "./conversation.tsx";
import { isProgramRun } from "./program.tsx";
import { RunMarks } from "./run-marks.tsx";
import { OutcomeBadge } from "./runs-table.tsx";
import { renderFinish } from "./story/finish.ts";
import { LiveRun } from "./story/live-run.tsx";
import { runSpans } from "./story/run-spans.ts";
import { RunText } from "./story/run-text.tsx";
import { usePrograms, useRecords } from "./story/use-story.ts";
import { Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/runs/$id");

/** One that has not ended is not kept yet: what it has done so far is shown. */
export function RunPage() {
  const { id } = route.useParams();
  const recordQuery = useOperation("runs.get", { id });
  const liveQuery = useQuery({ ...liveRunQuery(id), enabled: recordQuery.data === undefined });
  const isUnknown = recordQuery.data === undefined && recordQuery.error !== null;
  if (isUnknown && liveQuery.data) return <LiveRun run={liveQuery.data} back={<AllRuns />} />;
  // Between its end and its record.
  const query = isUnknown && liveQuery.isPending ? { ...recordQuery, error: null } : recordQuery;
  return (
    <QueryPage query={query} title="Agent run" back={<AllRuns />}>
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
  const { id, question, outcome, error } = run;
  const [isText, setText] = useState(false);
  const isProgram = isProgramRun(run);
  const records = useRecords(id);
  return (
    <Page
      title={
        <>
          <span dir="auto" className="line-clamp-2 min-w-0 break-words">
            {isProgram ? "Program" : question}
          </span>{" "}
          <OutcomeBadge outcome={outcome} />
        </>
      }
      about={<AllRuns />}
      actions={
        <>
          <Link to="/calls" search={{ run: id }} className="text-sm text-accent hover:underline">
            Its calls
          </Link>
          <Button icon={FileText} aria-pressed={isText} onClick={() => setText(!isText)}>
            As text
          </Button>
          <CopyButton text={location.href} label="Copy the link to this run" />
        </>
      }
    >
      {error && <Complaint error={`${error.code}: ${error.message}`} />}
      <RunMarks run={run} />
      <RunTiming run={run} records={records} />
      <div className="grid items-start gap-4 xl:grid-cols-[3fr_1fr]">
        {isText && <RunText id={id} />}
        {!isText && isProgram && <ProgramView run={run} />}
        {!isText && !isProgram && (
          <Panel title="Story">
            <Conversation run={run} records={records} />
          </Panel>
        )}
        <Panel title="Run">
          <RunFacts run={run} />
        </Panel>
      </div>
    </Page>
  );
}

function RunTiming({ run, records }: { run: AgentRun; records: ReturnType<typeof useRecords> }) {
  const isProgram = isProgramRun(run);
  const programs = usePrograms(run);
  return (
    <Panel title={`Timing: ${renderDuration(run.durationMs)}`}>
      <Waterfall
        label={isProgram ? "Calls of the program" : "Turns and calls"}
        spans={runSpans(run, records, programs).slice(isProgram ? 1 : 0)}
        totalMs={run.durationMs}
      />
    </Panel>
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
  const logs = messages
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => textIn(content));
  return (
    <div className="flex min-w-0 flex-col gap-4">
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
          <p className="text-sm text-muted">The program gave no value.</p>
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
  const lastStep = steps.at(-1);
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
        ["Turns", !isProgram && `${steps.length}, ${turns} with tools`],
        ["Calls", counters.totalToolCalls],
        [
          "Tokens",
          !isProgram &&
            `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`,
        ],
        ["Cost", usage.cost && costText(usage.cost)],
        ["Sampled", sampled > 0 && `${renderCount(sampled)} tokens, requested by servers`],
        ["Finish", !isProgram && lastStep && renderFinish(lastStep.finish)],
        ["Kept", !isProgram && trace.replace("_", " ")],
      ]}
    />
  );
}
