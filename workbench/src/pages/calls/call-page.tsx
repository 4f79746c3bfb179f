import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { CallAnswer } from "../../api/answers.ts";
import { callQuery } from "../../api/queries.ts";
import { Badge, CallState, callerText } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/code-view.tsx";
import { FlaskConical } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { callSpans } from "./call-spans.ts";
import { Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/calls/$id");

export function CallPage() {
  const { id } = route.useParams();
  return (
    <QueryPage query={useQuery(callQuery(id))} title="Call" back={<AllCalls />}>
      {(call) => <CallView call={call} />}
    </QueryPage>
  );
}

function AllCalls() {
  return (
    <Link to="/calls" className="hover:underline">
      ← All calls
    </Link>
  );
}

function CallView({ call }: { call: CallAnswer }) {
  const { tool, status, error, durationMs, attempts } = call;
  return (
    <Page
      title={
        <>
          {tool} <CallState call={call} />
        </>
      }
      about={<AllCalls />}
      actions={
        <Link
          to="/try"
          search={{ tool }}
          className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-3 text-[13px] font-medium hover:bg-sunken"
        >
          <FlaskConical aria-hidden className="size-4" /> Try this tool
        </Link>
      }
    >
      {error && (status === "waiting" ? <Waits call={call} error={error} /> : <CallError error={error} />)}
      <div className="grid items-start gap-3 xl:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-3">
          <Panel title={`Timing: ${renderDuration(durationMs)}`}>
            <Waterfall label="Stages of the call" spans={callSpans(call)} totalMs={durationMs} />
          </Panel>
          <Panel title="Attempts" flush>
            <Attempts attempts={attempts} />
          </Panel>
        </div>
        <Panel title="Record">
          <CallFacts call={call} />
        </Panel>
      </div>
      {error && status !== "waiting" && Object.keys(error.data).length > 0 && (
        <Panel title="Error details">
          <JsonView value={error.data} />
        </Panel>
      )}
    </Page>
  );
}

function CallError({ error }: { error: NonNullable<CallAnswer["error"]> }) {
  return <Complaint error={`${error.code}: ${error.message}`} />;
}

/** A call that waited: what became of it. */
function Answered({ answer }: { answer: NonNullable<CallAnswer["answer"]> }) {
  const { status, by, outcome, approvalId } = answer;
  return (
    <p className="break-words rounded-md bg-accent-soft px-3 py-2 text-[13px]">
      It waited for approval and is {status}
      {by !== null && ` (${by})`}.{" "}
      {outcome ? (
        <Link to="/calls/$id" params={{ id: outcome.callId }} className="text-accent underline">
          The call that ran
        </Link>
      ) : (
        <Link to="/approvals" search={{ id: approvalId }} className="text-accent underline">
          The approval
        </Link>
      )}
    </p>
  );
}

/** A waiting call has not failed: links to the decision. */
function Waits({ call, error: { data } }: { call: CallAnswer; error: NonNullable<CallAnswer["error"]> }) {
  if (call.answer && call.answer.status !== "pending") return <Answered answer={call.answer} />;
  const { approvalId, planId } = data as { approvalId?: unknown; planId?: unknown };
  return (
    <p className="break-words rounded-md bg-accent-soft px-3 py-2 text-[13px]">
      {typeof planId === "string" ? (
        <>
          Queued. It runs after approval of{" "}
          <Link to="/plans/$id" params={{ id: planId }} className="text-accent underline">
            the plan
          </Link>
          .
        </>
      ) : (
        <>
          It runs after approval.{" "}
          {typeof approvalId === "string" && (
            <Link to="/approvals" search={{ id: approvalId }} className="text-accent underline">
              Decide
            </Link>
          )}
        </>
      )}
    </p>
  );
}

function Attempts({ attempts }: Pick<CallAnswer, "attempts">) {
  if (attempts.length === 0)
    return <p className="p-4 text-[13px] text-muted">No attempts: the call ended before it reached a provider.</p>;
  return (
    <ol className="divide-y divide-line text-[13px]">
      {attempts.map(({ provider, ok, durationMs, error }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same provider may be asked twice
        <li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <span className="text-muted">{index + 1}</span>
          <span className="min-w-24 flex-1 break-words font-medium">{provider}</span>
          {error !== null && <span className="text-bad max-sm:order-last max-sm:basis-full">{error}</span>}
          <Badge tone={ok ? "good" : "bad"}>{ok ? "answered" : "failed"}</Badge>
          <span className="w-16 text-right tabular-nums text-muted">{renderDuration(durationMs)}</span>
        </li>
      ))}
    </ol>
  );
}

function CallFacts({ call }: { call: CallAnswer }) {
  const { id, at, server, principal, face, provider, argumentNames, injected, approval, run, stored } = call;
  return (
    <Facts
      items={[
        [
          "Id",
          <span key="id" className="-my-1.5 flex items-center gap-1 font-mono text-xs">
            <span className="truncate">{id}</span>
            <CopyButton text={id} label="Copy the id" />
          </span>,
        ],
        [
          "Tool",
          <Link key="tool" to="/tools/$name" params={{ name: call.tool }} className="text-accent hover:underline">
            {call.tool}
          </Link>,
        ],
        ["When", <Time full key="at" at={at} />],
        [
          "Server",
          server && (
            <Link to="/servers/$name" params={{ name: server }} className="text-accent hover:underline">
              {server}
            </Link>
          ),
        ],
        ["Provider", provider],
        ["Caller", callerText(principal.user, face)],
        ["Groups", principal.groups.join(", ")],
        ["Verdict", approval && `${approval.verdict}: ${approval.reason} (${approval.origin})`],
        ["Arguments", argumentNames.length > 0 ? `${argumentNames.join(", ")} (values are not stored)` : "none"],
        ["Set by the system", injected.join(", ")],
        ["Large result", stored],
        [
          "Agent run",
          run && (
            <Link to="/runs/$id" params={{ id: run }} className="text-accent hover:underline">
              Conversation
            </Link>
          ),
        ],
        ["Result hash", call.resultHash && <code className="break-all font-mono text-xs">{call.resultHash}</code>],
      ]}
    />
  );
}
