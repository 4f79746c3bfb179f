import { type ReactNode, useState } from "react";
import { isObject, type UnknownObject } from "../../../../src/model/json.ts";
import { useOperation } from "../../api/operations.ts";
import type { CallAnswer } from "../../api/queries.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { useTrials } from "./try-history.ts";

const rows = "divide-y divide-line text-sm";

type PickProps = { onPick: (args: UnknownObject) => void };

/** Examples of arguments: earlier calls of this tab, and on demand those on record. */
export function TrialList({ tool, onPick }: { tool: string } & PickProps) {
  const trials = useTrials(tool);
  const [isAsked, setAsked] = useState(false);
  return (
    <Panel
      flush
      title="History"
      actions={
        !isAsked && (
          <Button variant="quiet" onClick={() => setAsked(true)}>
            Show recorded calls
          </Button>
        )
      }
    >
      {trials.length > 0 && (
        <ul className={rows}>
          {trials.map(({ id, at: triedAt, args, outcome }) => (
            <EarlierCall key={id} at={triedAt} args={args} call={outcome.call} onPick={onPick} />
          ))}
        </ul>
      )}
      {isAsked ? (
        <RecordedCalls tool={tool} not={trials.map(({ outcome }) => outcome.call.id)}>
          {(examples) => (
            <ul className={rows}>
              {examples.map(({ id, at: calledAt, args, call }) => (
                <EarlierCall key={id} at={calledAt} args={args} call={call} onPick={onPick} />
              ))}
            </ul>
          )}
        </RecordedCalls>
      ) : (
        trials.length === 0 && (
          <p className="px-4 py-3 text-sm text-muted">
            Calls that you make here are listed with their arguments.
          </p>
        )
      )}
    </Panel>
  );
}

type EarlierCallProps = {
  at: string;
  args: UnknownObject;
  call: { status: string; durationMs: number };
} & PickProps;

function EarlierCall({ at: calledAt, args, call, onPick }: EarlierCallProps) {
  return (
    <li className="flex items-center gap-3 px-4 py-1.5 max-md:flex-wrap">
      <StateBadge kind="call" state={call.status} />
      <code className="min-w-0 flex-1 truncate font-mono text-xs max-md:order-last max-md:basis-full">
        {JSON.stringify(args)}
      </code>
      <span className="text-xs text-muted max-md:hidden">{renderDuration(call.durationMs)}</span>
      <span className="ml-auto text-xs text-muted">
        <Time at={calledAt} />
      </span>
      <Button variant="quiet" onClick={() => onPick(args)}>
        Reuse arguments
      </Button>
    </li>
  );
}

const maxExamples = 10;

type Example = {
  id: string;
  at: string;
  args: UnknownObject;
  call: Pick<CallAnswer, "status" | "durationMs">;
};

/** The last calls of a tool whose arguments were kept; what was redacted in them stays so. */
function RecordedCalls({
  tool,
  not,
  children,
}: {
  tool: string;
  /** Calls that are listed already. */
  not: readonly string[];
  children: (examples: readonly Example[]) => ReactNode;
}) {
  const query = useOperation("calls.list", { tool, payloads: true, limit: maxExamples });
  return (
    <QueryView query={query}>
      {({ calls }) => {
        const examples = calls.flatMap((call) => {
          const args = call.payload?.arguments;
          if (!isObject(args) || not.includes(call.id)) return [];
          return [{ id: call.id, at: call.at, args, call }];
        });
        return examples.length > 0 ? (
          children(examples)
        ) : (
          <p className="px-4 py-3 text-sm text-muted">
            No other call has its arguments on record.{" "}
            <code className="font-mono">observability.keepPayloads</code> keeps them from now on,
            with secrets redacted.
          </p>
        );
      }}
    </QueryView>
  );
}
