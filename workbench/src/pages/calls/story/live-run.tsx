import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { pendingQuery } from "../../../api/approval-queries.ts";
import type { RunningRun } from "../../../api/history-queries.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Facts, Page, Panel } from "../../../parts/page.tsx";
import { renderCount, renderDuration, Time } from "../../../parts/time.tsx";
import { Conversation } from "../conversation.tsx";
import { Waterfall } from "../waterfall.tsx";
import { isModelAsked, liveSpans } from "./run-spans.ts";
import { StopRun } from "./stop-run.tsx";
import { useRecords } from "./use-story.ts";

const clockMs = 500;

/** A run that goes on: what it has done so far, and what it does now. */
export function LiveRun({ run, back }: { run: RunningRun; back: ReactNode }) {
  const now = useClock();
  const records = useRecords(run.id);
  const heldByCall = useApprovalIds(run);
  const { id, question, steps = [], messages = [], calls, conversation, usage } = run;
  const isAsked = isModelAsked(run);
  const durationMs = Math.max(0, now - Date.parse(run.at));

  return (
    <Page
      title={
        <>
          <span dir="auto" className="line-clamp-2 min-w-0 break-words">
            {question}
          </span>{" "}
          <Badge dot tone="accent">
            running
          </Badge>
        </>
      }
      about={back}
      actions={<StopRun id={id} />}
    >
      <Panel title={`Timing: ${renderDuration(durationMs)} so far`}>
        <Waterfall
          label="Turns and calls so far"
          spans={liveSpans(run, records, new Set(heldByCall.keys()), now)}
          totalMs={durationMs}
        />
      </Panel>
      <div className="grid items-start gap-3 xl:grid-cols-[3fr_1fr]">
        <Panel title="Story so far">
          <Conversation
            run={{ messages, steps, question, answer: null, conversation }}
            records={records}
            live={{ calls, approvalIds: heldByCall, isModelAsked: isAsked }}
          />
        </Panel>
        <Panel title="Run">
          <Facts
            items={[
              ["Now", heldByCall.size > 0 ? "waits for approval" : renderActivity(run)],
              ["Since", <Time full key="at" at={run.at} />],
              ["Asked by", run.user],
              ["Model", run.model],
              ["Toolset", run.toolset ?? "every tool"],
              ["Turns", steps.length],
              [
                "Tokens",
                `${renderCount(usage.inputTokens)} in, ${renderCount(usage.outputTokens)} out`,
              ],
              [
                "Conversation",
                <Link
                  key="conversation"
                  to="/calls"
                  search={{ conversation }}
                  className="break-all text-accent hover:underline"
                >
                  {conversation}
                </Link>,
              ],
            ]}
          />
        </Panel>
      </div>
    </Page>
  );
}

function renderActivity(run: RunningRun): string {
  const { steps = [], calls } = run;
  if (isModelAsked(run)) return `the model, turn ${steps.length}`;
  const openCalls = calls.filter(({ status }) => status === null);
  return openCalls.map(({ tool }) => tool).join(", ");
}

function useClock(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), clockMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** The approvals that its calls wait for, by the call: oldest first, as far as they are of the same tool. */
function useApprovalIds(run: RunningRun): Map<string, string> {
  const approvals = useQuery(pendingQuery()).data?.approvals ?? [];
  const runApprovals = approvals.filter(({ options }) => options.run === run.id);
  const heldByCall = new Map<string, string>();
  for (const { id, status, tool } of run.calls) {
    if (status !== null) continue;
    const index = runApprovals.findIndex((approval) => isOfTool(approval, tool));
    const [approval] = index === -1 ? [] : runApprovals.splice(index, 1);
    if (approval) heldByCall.set(id, approval.id);
  }
  return heldByCall;
}

/** Models have other separators in their names of tools. */
function isOfTool(
  { tool, toolId }: { tool: string; toolId: { server: string | null; tool: string } },
  name: string,
) {
  const plain = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, "_").toLowerCase();
  const names = [tool, toolId.tool, `${toolId.server ?? ""}_${toolId.tool}`];
  return names.map(plain).includes(plain(name));
}
