import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { operationPages, useOperation } from "../../../api/operations.ts";
import type { CallAnswer } from "../../../api/queries.ts";
import { Badge, CallState, callStatusText } from "../../../parts/badge.tsx";
import { DiffView } from "../../../parts/diff-view.tsx";
import { Select } from "../../../parts/field.tsx";
import { Panel } from "../../../parts/page.tsx";
import { SearchBox } from "../../../parts/search-box.tsx";
import { QueryView } from "../../../parts/states.tsx";
import { exactTime, renderDuration, Time } from "../../../parts/time.tsx";
import { VisibleText } from "../../../parts/visible-text.tsx";
import { argumentsText, differenceOf } from "./compare-texts.ts";

const atOnce = 200;
const maxShown = 50;

/** The difference to another call of the same tool. */
export function CompareCalls({ call, other }: { call: CallAnswer; other: string | undefined }) {
  const listed = operationPages("calls.list", { tool: call.tool, limit: atOnce, payloads: true });
  const calls = useInfiniteQuery(listed).data?.pages[0]?.calls ?? [];
  const others = calls.filter(({ id }) => id !== call.id);
  if (others.length === 0 && other === undefined) return null;
  return (
    <Panel
      title="Compare"
      actions={
        other !== undefined && (
          <Link
            to="/calls/$id"
            params={{ id: call.id }}
            search={{}}
            replace
            className="text-sm text-accent hover:underline"
          >
            Choose another call
          </Link>
        )
      }
    >
      {other === undefined ? (
        <Choice call={call} others={others} />
      ) : (
        <Difference call={call} other={other} />
      )}
    </Panel>
  );
}

function Choice({ call, others }: { call: CallAnswer; others: readonly CallAnswer[] }) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const has = (one: CallAnswer) =>
    `${argumentsText(one)} ${exactTime(one.at)} ${callStatusText(one.status)}`.toLowerCase();
  const found = others.filter(
    (one) =>
      (status === "" || one.status === status) && has(one).includes(text.trim().toLowerCase()),
  );
  const statuses = [...new Set(others.map((one) => one.status))];
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto text-sm text-muted">
          Choose a call of {call.tool} to see what is different.
        </p>
        {statuses.length > 1 && (
          <Select
            aria-label="Status of the other call"
            className="w-40!"
            value={status}
            onChange={({ target }) => setStatus(target.value)}
            options={[
              { value: "", text: "Any status" },
              ...statuses.map((one) => ({ value: one, text: callStatusText(one) })),
            ]}
          />
        )}
        <SearchBox
          label="Search arguments and times"
          value={text}
          onChange={setText}
          matchCount={found.length}
          totalCount={others.length}
        />
      </div>
      <ul
        aria-label="Calls to compare with"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
        tabIndex={0}
        className="max-h-72 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm"
      >
        {found.slice(0, maxShown).map((one) => (
          <Other key={one.id} call={call} one={one} />
        ))}
        {found.length === 0 && <li className="px-3 py-2 text-muted">No call matches.</li>}
      </ul>
    </div>
  );
}

function Other({ call, one }: { call: CallAnswer; one: CallAnswer }) {
  const isSame = one.argumentsHash !== null && one.argumentsHash === call.argumentsHash;
  const summary = argumentsText(one);
  return (
    <li>
      <Link
        to="/calls/$id"
        params={{ id: call.id }}
        search={{ with: one.id }}
        replace
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 hover:bg-sunken"
      >
        <span className="w-20 shrink-0 text-muted">
          <Time at={one.at} />
        </span>
        <span className="w-24 shrink-0">
          <CallState call={one} />
        </span>
        <span className="w-16 shrink-0 text-right tabular-nums text-muted">
          {renderDuration(one.durationMs)}
        </span>
        {isSame && <Badge>same arguments</Badge>}
        <span className="min-w-0 flex-1 basis-60 truncate font-mono text-xs" title={summary}>
          <VisibleText text={summary} />
        </span>
      </Link>
    </li>
  );
}

function Difference({ call, other }: { call: CallAnswer; other: string }) {
  return (
    <QueryView query={useOperation("calls.get", { id: other })}>
      {(before) => {
        const text = differenceOf(before, call);
        return (
          <div className="flex flex-col gap-2 text-sm">
            <p className="text-muted">
              From{" "}
              <Link to="/calls/$id" params={{ id: other }} className="text-accent underline">
                the other call
              </Link>{" "}
              ({exactTime(before.at)}, {renderDuration(before.durationMs)}) to this one (
              {renderDuration(call.durationMs)}
              ):
            </p>
            {text === "" ? (
              <p>Arguments, result and outcome are the same.</p>
            ) : (
              <DiffView text={text} />
            )}
          </div>
        );
      }}
    </QueryView>
  );
}
