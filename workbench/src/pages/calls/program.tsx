import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { codeToolNames } from "../../../../src/model/catalogue/meta-tools.ts";
import { callOperation } from "../../api/operations.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { renderDuration } from "../../parts/time.tsx";

/** A program of code mode has a run of its own; a model that writes programs has another. */
export const isProgramRun = ({ id }: { id: string }) => id.startsWith("code-");

/** Of one conversation, newest first. */
const maxRuns = 100;

const programQuery = (conversation: string, code: string) =>
  queryOptions({
    queryKey: ["runs", "program", conversation, code],
    queryFn: async ({ signal }) => {
      const { runs } = await callOperation(
        "runs.page",
        { conversation, limit: maxRuns },
        { signal },
      );
      const program = runs.find((run) => isProgramRun(run) && run.question.trim() === code.trim());
      if (program === undefined) return null;
      return callOperation("runs.get", { id: program.id }, { signal });
    },
  });

type ArgumentsProps = { tool: string; value: unknown; conversation: string; isOver: boolean };

/** The arguments of a call; a program is shown as one, with the calls that it made. */
export function CallArguments({ tool, value, conversation, isOver }: ArgumentsProps) {
  const code = tool === codeToolNames.run ? (value as { code?: unknown } | null)?.code : undefined;
  if (typeof code !== "string") return <JsonView value={value ?? {}} />;
  return (
    <>
      <CodeView label="the program" text={code} />
      {isOver && <ProgramCalls code={code} conversation={conversation} />}
    </>
  );
}

function ProgramCalls({ code, conversation }: { code: string; conversation: string }) {
  const run = useQuery(programQuery(conversation, code)).data;
  if (!run) return null;
  const calls = run.steps.flatMap((step) => step.calls);
  return (
    <div className="flex flex-col gap-1 text-xs">
      <p className="flex gap-2 text-muted">
        {calls.length === 0 ? "It called nothing." : "It called:"}
        <Link to="/runs/$id" params={{ id: run.id }} className="text-accent hover:underline">
          The program's run
        </Link>
      </p>
      <ol aria-label="Calls of the program" className="flex flex-col gap-1">
        {calls.map(({ id, tool, record, status, durationMs }) => (
          <li key={id} className="flex flex-wrap items-center gap-2">
            {record === null ? (
              <span className="font-mono">{tool}</span>
            ) : (
              <Link
                to="/calls/$id"
                params={{ id: record }}
                className="break-all font-mono hover:underline"
              >
                {tool}
              </Link>
            )}
            <StateBadge kind="call" state={status} />
            <span className="tabular-nums text-muted">{renderDuration(durationMs)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
