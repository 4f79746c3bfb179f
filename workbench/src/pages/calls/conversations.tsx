import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { callsQuery, runsQuery } from "../../api/queries.ts";
import { Badge, CallState, callerText } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { ChevronRight } from "../../parts/icons.ts";
import { Empty, QueryView } from "../../parts/states.tsx";
import { counted, renderCount, renderDuration, Time } from "../../parts/time.tsx";
import { type CallGroup, groupCalls, toolsOf } from "./group-calls.ts";
import { NewerButton } from "./newer-button.tsx";
import { useLongList } from "./use-long-list.ts";

/** Calls by conversation: of an agent, or the session of a client. */
export function Conversations() {
  const { list: calls, newer, showNewest } = useLongList(callsQuery(), "tool.result");
  const runs = useInfiniteQuery(runsQuery()).data;
  const groups = useMemo(() => {
    const callPages = calls.data?.pages;
    const runPages = runs?.pages;
    return groupCalls(
      callPages?.flatMap((page) => page.calls) ?? [],
      runPages?.flatMap((page) => page.runs) ?? [],
    );
  }, [calls.data, runs]);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto">
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        By the conversation of an agent or the session of a client; calls without one until the
        caller pauses.
        <NewerButton count={newer} onClick={showNewest} />
      </p>
      <QueryView query={calls}>
        {() =>
          groups.length === 0 ? (
            <Empty title="No calls yet">Every call is recorded here, refused ones too.</Empty>
          ) : (
            <GrowingList className="gap-2" atOnce={30} items={groups} keyOf={({ key }) => key}>
              {(group) => <Group group={group} />}
            </GrowingList>
          )
        }
      </QueryView>
      {calls.hasNextPage && (
        <Button
          className="self-center"
          busy={calls.isFetchingNextPage}
          onClick={() => void calls.fetchNextPage()}
        >
          Show earlier ones
        </Button>
      )}
    </div>
  );
}

const isBad = (status: string) => ["failed", "refused", "tool_error"].includes(status);

function Group({ group: { conversation, runs, calls } }: { group: CallGroup }) {
  const newest = calls[0];
  const oldest = calls.at(-1);
  if (newest === undefined || oldest === undefined) return null;
  const failed = calls.filter(({ status }) => isBad(status)).length;
  const tokens = runs.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
  const question = runs.at(-1)?.question ?? null;
  const caller = callerText(newest.principal.user, newest.face);
  const endedAt = Date.parse(newest.at) + newest.durationMs;
  return (
    <details className="group rounded-lg border border-line bg-surface text-sm shadow-raised">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 marker:content-['']">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-muted group-open:rotate-90" />
        <span className="min-w-0 flex-1 max-sm:basis-3/4">
          <span
            dir="auto"
            className={classes(
              "block truncate font-medium",
              question === null && "font-mono text-xs leading-5",
            )}
          >
            {question ?? toolsOf(calls)}
          </span>
          <span dir="auto" className="block truncate text-xs text-muted">
            {[caller, conversation].filter((part) => part !== null).join(" · ")}
          </span>
        </span>
        {runs.length > 1 && <Badge>{counted(runs.length, "question")}</Badge>}
        {failed > 0 && <Badge tone="bad">{failed} failed</Badge>}
        <span className="tabular-nums text-muted">
          {counted(calls.length, "call")}
          {tokens > 0 && `, ${renderCount(tokens)} tokens`},{" "}
          {renderDuration(endedAt - Date.parse(oldest.at))}
        </span>
        <span className="w-16 text-right text-muted">
          <Time at={newest.at} />
        </span>
      </summary>
      <div className="border-t border-line">
        {conversation !== null && (
          <p className="flex gap-2 border-b border-line/70 px-3 py-1.5">
            <span className="text-muted">Conversation</span>
            <Link
              to="/calls"
              search={{ conversation }}
              dir="auto"
              className="min-w-0 truncate font-mono text-xs leading-5 text-accent hover:underline"
            >
              {conversation}
            </Link>
          </p>
        )}
        {runs.map(({ id, question }) => (
          <p key={id} className="flex gap-2 border-b border-line/70 px-3 py-1.5">
            <span className="text-muted">Run</span>
            <Link
              to="/runs/$id"
              params={{ id }}
              dir="auto"
              className="min-w-0 truncate text-accent hover:underline"
            >
              {question}
            </Link>
          </p>
        ))}
        <GrowingList
          className="divide-y divide-line/70"
          atOnce={50}
          items={calls}
          keyOf={({ id }) => id}
        >
          {(call) => (
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-1.5">
              <Link
                to="/calls/$id"
                params={{ id: call.id }}
                className="min-w-0 flex-1 truncate font-mono text-xs leading-5 hover:underline"
              >
                {call.tool}
              </Link>
              <CallState call={call} />
              <span className="w-16 text-right tabular-nums text-muted">
                {renderDuration(call.durationMs)}
              </span>
              <span className="w-16 text-right text-muted">
                <Time at={call.at} />
              </span>
            </p>
          )}
        </GrowingList>
      </div>
    </details>
  );
}
