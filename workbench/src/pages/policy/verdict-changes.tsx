import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { LoaderCircle } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { counted, Time } from "../../parts/time.tsx";
import { VerdictBadge } from "./verdict-badge.tsx";

/** Typing pauses so long before it is tried. */
const pauseMs = 300;

/** The rules tried on the last calls. Null: nothing to try. */
export function usePreview(rules: readonly JsonObject[] | null) {
  const text = rules === null ? null : JSON.stringify(rules);
  const [triedText, setTriedText] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setTriedText(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const preview = { rules: JSON.parse(triedText ?? "[]") as JsonObject[] };
  const query = useOperation("policy.preview", preview, {
    enabled: triedText !== null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const isCurrent = text !== null && triedText === text;
  return {
    answer: text === null ? undefined : query.data,
    error: isCurrent ? query.error : null,
    isBusy: text !== null && (!isCurrent || query.isFetching),
  };
}

type VerdictChangesProps = ReturnType<typeof usePreview>;

/** Which verdicts on the last calls the changed rules would change. */
export function VerdictChanges({ answer, error, isBusy }: VerdictChangesProps) {
  if (answer === undefined && error === null && !isBusy)
    return (
      <Panel title="What would change">
        <p className="text-sm text-muted">
          Change a rule, and the last 100 calls are tried against it here before you save.
        </p>
      </Panel>
    );
  return (
    <Panel
      flush
      title="What would change"
      actions={
        isBusy && (
          <LoaderCircle
            aria-label="Trying the last calls"
            className="size-4 animate-spin text-muted"
          />
        )
      }
    >
      <div role="status" className="flex flex-col gap-1 px-4 py-3 text-sm">
        {error ? (
          <p className="text-muted">Mend the rules first.</p>
        ) : (
          answer && (
            <p className="font-medium">
              {answer.changes.length === 0
                ? "No verdict"
                : counted(answer.changes.length, "verdict")}{" "}
              of the last {counted(answer.calls, "call")} would change.
            </p>
          )
        )}
        {!error && answer && <Notes answer={answer} />}
      </div>
      {!error && answer && answer.changes.length > 0 && <ChangeTable changes={answer.changes} />}
    </Panel>
  );
}

function Notes({
  answer: { skipped, withoutArguments, warnings },
}: {
  answer: AnswerOf<"policy.preview">;
}) {
  return (
    <>
      {skipped > 0 && (
        <p className="text-muted">
          {counted(skipped, "call")} not tried: the tool is gone or not for its caller.
        </p>
      )}
      {withoutArguments > 0 && (
        <p className="text-muted">
          The arguments of {counted(withoutArguments, "call")} are not kept, so conditions on them
          match nothing (observability.keepPayloads).
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="text-warn">
          {warning}
        </p>
      ))}
    </>
  );
}

function ChangeTable({ changes }: { changes: AnswerOf<"policy.preview">["changes"] }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as a region it would be a landmark
    <div
      role="group"
      aria-label="Changed verdicts"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      tabIndex={0}
      className="max-h-96 overflow-auto border-t border-line"
    >
      <table className="w-full text-left text-sm">
        <thead className="text-xs text-muted">
          <tr>
            {["Call", "Tool", "Verdict"].map((title) => (
              <th key={title} scope="col" className="px-3 py-1.5 font-medium first:pl-4 last:pr-4">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {changes.map(({ id, at: calledAt, tool, user, before, after }) => (
            <tr key={id} className="align-top">
              <td className="whitespace-nowrap py-1.5 pl-4 pr-3">
                <Link to="/calls/$id" params={{ id }} className="text-accent hover:underline">
                  <Time at={calledAt} />
                </Link>
              </td>
              <td className="px-3 py-1.5">
                <p className="break-all font-mono text-xs leading-5">{tool}</p>
                <p className="break-words text-xs text-muted">{user ?? "anonymous"}</p>
              </td>
              <td className="py-1.5 pl-3 pr-4" title={after.reason}>
                <span className="flex items-center gap-1.5 whitespace-nowrap">
                  <VerdictBadge verdict={before.verdict} />
                  <span aria-hidden>→</span>
                  <span className="sr-only">becomes</span>
                  <VerdictBadge verdict={after.verdict} />
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
