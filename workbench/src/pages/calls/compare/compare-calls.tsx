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
export function CompareCalls({ call, otherId }: { call: CallAnswer; otherId: string | undefined }) {
  const callPages = operationPages("calls.list", {
    tool: call.tool,
    limit: atOnce,
    payloads: true,
  });
  const calls = useInfiniteQuery(callPages).data?.pages[0]?.calls ?? [];
  const otherCalls = calls.filter(({ id }) => id !== call.id);
  if (otherCalls.length === 0 && otherId === undefined) return null;
  return (
    <Panel
      title="Compare"
      actions={
        otherId !== undefined && (
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
      {otherId === undefined ? (
        <Choice call={call} otherCalls={otherCalls} />
      ) : (
        <Difference call={call} otherId={otherId} />
      )}
    </Panel>
  );
}

function Choice({ call, otherCalls }: { call: CallAnswer; otherCalls: readonly CallAnswer[] }) {
  const [text, setText] = useState("");
  const [status, setStatus] = useState("");
  const searchTextOf = (otherCall: CallAnswer) =>
    `${argumentsText(otherCall)} ${exactTime(otherCall.at)} ${callStatusText(otherCall.status)}`.toLowerCase();
  const matchingCalls = otherCalls.filter(
    (otherCall) =>
      (status === "" || otherCall.status === status) &&
      searchTextOf(otherCall).includes(text.trim().toLowerCase()),
  );
  const statuses = [...new Set(otherCalls.map((otherCall) => otherCall.status))];
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
              ...statuses.map((choice) => ({ value: choice, text: callStatusText(choice) })),
            ]}
          />
        )}
        <SearchBox
          label="Search arguments and times"
          value={text}
          onChange={setText}
          matchCount={matchingCalls.length}
          totalCount={otherCalls.length}
        />
      </div>
      <ul
        aria-label="Calls to compare with"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
        tabIndex={0}
        className="max-h-72 divide-y divide-line overflow-y-auto rounded-md border border-line text-sm"
      >
        {matchingCalls.slice(0, maxShown).map((otherCall) => (
          <OtherCall key={otherCall.id} call={call} otherCall={otherCall} />
        ))}
        {matchingCalls.length === 0 && <li className="px-3 py-2 text-muted">No call matches.</li>}
      </ul>
    </div>
  );
}

function OtherCall({ call, otherCall }: { call: CallAnswer; otherCall: CallAnswer }) {
  const isSame = otherCall.argumentsHash !== null && otherCall.argumentsHash === call.argumentsHash;
  const summary = argumentsText(otherCall);
  return (
    <li>
      <Link
        to="/calls/$id"
        params={{ id: call.id }}
        search={{ with: otherCall.id }}
        replace
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 hover:bg-sunken"
      >
        <span className="w-20 shrink-0 text-muted">
          <Time at={otherCall.at} />
        </span>
        <span className="w-24 shrink-0">
          <CallState call={otherCall} />
        </span>
        <span className="w-16 shrink-0 text-right tabular-nums text-muted">
          {renderDuration(otherCall.durationMs)}
        </span>
        {isSame && <Badge>same arguments</Badge>}
        <span className="min-w-0 flex-1 basis-60 truncate font-mono text-xs" title={summary}>
          <VisibleText text={summary} />
        </span>
      </Link>
    </li>
  );
}

function Difference({ call, otherId }: { call: CallAnswer; otherId: string }) {
  return (
    <QueryView query={useOperation("calls.get", { id: otherId })}>
      {(before) => {
        const text = differenceOf(before, call);
        return (
          <div className="flex flex-col gap-2 text-sm">
            <p className="text-muted">
              From{" "}
              <Link to="/calls/$id" params={{ id: otherId }} className="text-accent underline">
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
