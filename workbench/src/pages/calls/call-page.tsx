import { getRouteApi, Link } from "@tanstack/react-router";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { useOperation } from "../../api/operations.ts";
import type { CallAnswer } from "../../api/queries.ts";
import { Badge, CallState, callerText } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/code-view.tsx";
import { FlaskConical } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { PageMessages } from "../apps/page-messages.tsx";
import { CallPayload } from "./call-payload.tsx";
import { callSpans } from "./call-spans.ts";
import { CallVerdict } from "./call-verdict.tsx";
import { WaitingNote } from "./call-waits.tsx";
import { CompareCalls } from "./compare/compare-calls.tsx";
import { providerText } from "./provider-text.ts";
import { Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/calls/$id");

export function CallPage() {
  const { id } = route.useParams();
  return (
    <QueryPage query={useOperation("calls.get", { id })} title="Call" back={<AllCalls />}>
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
  const { tool, server, status, error, durationMs, attempts } = call;
  const { with: otherId } = route.useSearch();
  const args = call.payload && !isCut(call.payload.arguments) ? call.payload.arguments : undefined;
  return (
    <Page
      title={
        <>
          <span className="break-all font-mono text-lg">{tool}</span> <CallState call={call} />
        </>
      }
      about={<AllCalls />}
      actions={
        <>
          <Link
            to="/try"
            search={{ tool, ...withoutUndefined({ args: JSON.stringify(args) }) }}
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-line bg-surface px-3 text-sm font-medium hover:bg-sunken"
          >
            <FlaskConical aria-hidden className="size-4" />
            {args === undefined ? "Try this tool" : "Run again with these arguments"}
          </Link>
          <CopyButton
            text={`${location.origin}${location.pathname}`}
            label="Copy the link to this call"
          />
        </>
      }
    >
      {error && status === "waiting" && <WaitingNote call={call} error={error} />}
      {error && status !== "waiting" && <CallError error={error} />}
      <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <CallPayload call={call} />
          <Panel title={`Timing: ${renderDuration(durationMs)}`}>
            <Waterfall label="Stages of the call" spans={callSpans(call)} totalMs={durationMs} />
          </Panel>
          <Panel title="Attempts" flush>
            <Attempts attempts={attempts} server={server} />
          </Panel>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Panel title="Record">
            <CallFacts call={call} />
          </Panel>
          <PageMessages callId={call.id} />
        </div>
      </div>
      <CompareCalls call={call} otherId={otherId} />
      {error && status !== "waiting" && Object.keys(error.data).length > 0 && (
        <Panel title="Error details">
          <JsonView value={error.data} />
        </Panel>
      )}
    </Page>
  );
}

/** Only its beginning was kept. */
const isCut = (value: unknown) => typeof value === "object" && value !== null && "cut" in value;

function CallError({ error }: { error: NonNullable<CallAnswer["error"]> }) {
  return <Complaint error={`${error.code}: ${error.message}`} />;
}

function Attempts({ attempts, server }: Pick<CallAnswer, "attempts" | "server">) {
  if (attempts.length === 0)
    return (
      <p className="p-4 text-sm text-muted">
        No attempts: the call ended before it reached a provider.
      </p>
    );
  return (
    <ol className="divide-y divide-line text-sm">
      {attempts.map(({ provider, ok, durationMs, error }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same provider may be asked twice
        <li key={index} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
          <span className="text-muted">{index + 1}</span>
          <span className="min-w-24 flex-1 break-words font-medium">
            {providerText(provider, server)}
          </span>
          {error !== null && (
            <span className="text-bad max-sm:order-last max-sm:basis-full">{error}</span>
          )}
          <Badge tone={ok ? "good" : "bad"}>{ok ? "answered" : "failed"}</Badge>
          <span className="w-16 text-right tabular-nums text-muted">
            {renderDuration(durationMs)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function CallFacts({ call }: { call: CallAnswer }) {
  const {
    id,
    at,
    server,
    principal,
    face,
    provider,
    argumentNames,
    injected,
    approval,
    run,
    conversation,
    stored,
  } = call;
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
          <Link
            key="tool"
            to="/tools/$name"
            params={{ name: call.tool }}
            className="text-accent hover:underline"
          >
            {call.tool}
          </Link>,
        ],
        ["When", <Time full key="at" at={at} />],
        [
          "Server",
          server && (
            <Link
              to="/servers/$name"
              params={{ name: server }}
              className="text-accent hover:underline"
            >
              {server}
            </Link>
          ),
        ],
        ["Provider", provider && providerText(provider, server)],
        ["Caller", callerText(principal.user, face)],
        ["Page that called", call.page],
        ["Groups", principal.groups.join(", ")],
        ["Verdict", approval && <CallVerdict key="verdict" approval={approval} />],
        ["Arguments", argumentNames.join(", ") || "none"],
        ["Set by the system", injected.join(", ")],
        ["Large result", stored],
        [
          "Agent run",
          run && (
            <Link to="/runs/$id" params={{ id: run }} className="text-accent hover:underline">
              What it was asked
            </Link>
          ),
        ],
        [
          "Conversation",
          conversation && (
            <Link
              to="/calls"
              search={{ conversation }}
              className="break-all text-accent hover:underline"
            >
              {conversation}
            </Link>
          ),
        ],
        [
          "Result hash",
          call.resultHash && <code className="break-all font-mono text-xs">{call.resultHash}</code>,
        ],
      ]}
    />
  );
}
