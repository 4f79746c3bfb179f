import type { ReactNode } from "react";
import { isObject, type UnknownObject } from "../../../../src/model/json.ts";
import { useOperation } from "../../api/operations.ts";
import type { CallAnswer } from "../../api/queries.ts";
import { QueryView } from "../../parts/states.tsx";

const maxExamples = 10;

type Example = {
  id: string;
  at: string;
  args: UnknownObject;
  call: Pick<CallAnswer, "status" | "durationMs">;
};

/** The last calls of a tool whose arguments were kept; what was redacted in them stays so. */
export function RecordedCalls({
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
