import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { useOperation } from "../../api/operations.ts";
import { type CallAnswer, callsQuery } from "../../api/queries.ts";
import { ArgumentDifference } from "../../parts/argument-difference.tsx";
import { callStatusText } from "../../parts/badge.tsx";
import { CopyButton } from "../../parts/code-view.tsx";
import { Select } from "../../parts/field.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { ResultView } from "../../parts/result-view.tsx";
import { QueryView } from "../../parts/states.tsx";
import { renderDuration } from "../../parts/time.tsx";

/** What the call was given and its result, or how to have it kept. */
export function CallPayload({ call: { payload, argumentNames } }: { call: CallAnswer }) {
  if (!payload)
    return (
      <Panel title="Arguments and result">
        <p className="text-[13px] text-muted">
          {payload === null ? (
            "They are not kept any more, or the call is older than the setting."
          ) : (
            <>
              Not kept. {argumentNames.length > 0 && `Arguments given: ${argumentNames.join(", ")}. `}To see them here,
              set <code className="font-mono text-ink">"observability": {'{ "keepPayloads": true }'}</code>. Secrets are
              redacted.
            </>
          )}
        </p>
      </Panel>
    );
  return (
    <>
      <Panel title="Arguments" actions={<CopyButton label="Copy arguments" text={textOf(payload.arguments)} />}>
        <JsonView value={payload.arguments} depth={3} />
      </Panel>
      <Panel title="Result" actions={<CopyButton label="Copy the result" text={textOf(payload.result)} />}>
        {isResult(payload.result) ? (
          <ResultView outcome={{ result: payload.result } as unknown as OutcomeAnswer} />
        ) : payload.result === null ? (
          <p className="text-[13px] text-muted">The call ended without a result.</p>
        ) : (
          <JsonView value={payload.result} />
        )}
      </Panel>
    </>
  );
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);
const isResult = (value: unknown) => typeof value === "object" && value !== null && "content" in value;

/** The difference to another call of the same tool. */
export function CompareCalls({ call, other }: { call: CallAnswer; other: string | undefined }) {
  const navigate = useNavigate();
  const listed = useInfiniteQuery(callsQuery({ tool: call.tool })).data?.pages[0]?.calls ?? [];
  const choices = listed.filter(({ id }) => id !== call.id).slice(0, 50);
  if (choices.length === 0 && other === undefined) return null;
  const choose = (id: string) =>
    void navigate({ to: "/calls/$id", params: { id: call.id }, search: id === "" ? {} : { with: id }, replace: true });
  return (
    <Panel
      title="Compare"
      actions={
        <Select
          aria-label="Compare with"
          className="w-64! max-sm:w-44!"
          value={other ?? ""}
          onChange={({ target }) => choose(target.value)}
          options={[
            { value: "", text: "Compare with another call …" },
            ...(other === undefined || choices.some(({ id }) => id === other) ? [] : [{ value: other, text: other }]),
            ...choices.map(({ id, at, status, durationMs }) => ({
              value: id,
              text: `${new Date(at).toLocaleString()} · ${callStatusText(status)} · ${renderDuration(durationMs)}`,
            })),
          ]}
        />
      }
    >
      {other === undefined ? (
        <p className="text-[13px] text-muted">Choose a call of {call.tool} to see what is different.</p>
      ) : (
        <Difference call={call} other={other} />
      )}
    </Panel>
  );
}

function Difference({ call, other }: { call: CallAnswer; other: string }) {
  return (
    <QueryView query={useOperation("calls.get", { id: other })}>
      {(before) => (
        <div className="flex flex-col gap-2 text-[13px]">
          <p className="text-muted">
            From{" "}
            <Link to="/calls/$id" params={{ id: other }} className="text-accent underline">
              the other call
            </Link>{" "}
            to this one:
          </p>
          <ArgumentDifference before={factsOf(before)} after={factsOf(call)} />
        </div>
      )}
    </QueryView>
  );
}

/** Hashes tell that something differs where the values are not kept. */
function factsOf({ payload, status, durationMs, provider, argumentsHash, resultHash, error, attempts }: CallAnswer) {
  const values = payload
    ? { arguments: payload.arguments, result: payload.result }
    : { "arguments hash": argumentsHash, "result hash": resultHash };
  const took = renderDuration(durationMs);
  return { ...values, status, took, provider, attempts: attempts.length, error: error?.code ?? null } as JsonObject;
}
