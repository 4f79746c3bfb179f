import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import type { CallAnswer } from "../../api/queries.ts";
import { CopyButton } from "../../parts/code-view.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { ResultView } from "../../parts/result-view.tsx";
import { AppOfCall } from "../apps/app-of-call.tsx";

/** What the call was given and its result, or how to have it kept. */
export function CallPayload({ call }: { call: CallAnswer }) {
  const { payload, argumentNames } = call;
  if (!payload)
    return (
      <Panel title="Arguments and result">
        <p className="text-sm text-muted">
          {payload === null ? (
            "They are not kept any more, or the call is older than the setting."
          ) : (
            <>
              Not kept.{" "}
              {argumentNames.length > 0 && `Arguments given: ${argumentNames.join(", ")}. `}To see
              them here, set{" "}
              <code className="font-mono text-ink">
                "observability": {'{ "keepPayloads": true }'}
              </code>
              . Secrets are redacted.
            </>
          )}
        </p>
      </Panel>
    );
  return (
    <>
      <Panel
        title="Arguments"
        actions={<CopyButton label="Copy arguments" text={textOf(payload.arguments)} />}
      >
        <JsonView value={payload.arguments} />
      </Panel>
      <Panel
        title="Result"
        actions={<CopyButton label="Copy the result" text={textOf(payload.result)} />}
      >
        <PayloadResult call={call} payload={payload} />
      </Panel>
    </>
  );
}

type PayloadResultProps = { call: CallAnswer; payload: NonNullable<CallAnswer["payload"]> };

function PayloadResult({ call, payload: { arguments: args, result } }: PayloadResultProps) {
  if (result === null)
    return <p className="text-sm text-muted">The call ended without a result.</p>;
  if (!isResult(result)) return <JsonView value={result} />;
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <AppOfCall isAsked call={call} args={args} result={result} />
      <ResultView outcome={{ result } as unknown as OutcomeAnswer} server={call.server} />
    </div>
  );
}

const textOf = (value: unknown) => JSON.stringify(value, null, 2);
const isResult = (value: unknown) =>
  typeof value === "object" && value !== null && "content" in value;
