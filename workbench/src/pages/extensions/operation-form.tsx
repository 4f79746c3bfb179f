import { lazy, Suspense, useId, useState } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation } from "../../api/operations.ts";
import { useMay } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { ChevronRight, Play } from "../../parts/icons.ts";
import { takesNothing } from "../../parts/schema-form/takes-nothing.ts";
import { Complaint, Loading } from "../../parts/states.tsx";
import { AnswerView } from "./answer-view.tsx";

/** Loaded on demand: most who look at the page run nothing. */
const SchemaForm = lazy(async () => ({
  default: (await import("../../parts/schema-form/schema-form.tsx")).SchemaForm,
}));

type Operation = AnswerOf<"extensions.operations">["operations"][number];

/** A row that opens: the input as a form, and the answer below it. */
export function OperationForm({ operation }: { operation: Operation }) {
  const { name, summary, changes } = operation;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full flex-wrap items-center gap-x-2 gap-y-0.5 px-3 py-2 text-left text-sm hover:bg-sunken/60"
      >
        <ChevronRight
          aria-hidden
          className={classes("size-3.5 shrink-0 text-muted", isOpen && "rotate-90")}
        />
        <span className="font-mono text-xs font-medium">{name}</span>
        <span className="min-w-0 break-words text-muted">{summary}</span>
        {changes && <Badge title="A record of who ran it is kept.">recorded</Badge>}
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && <OpenOperation operation={operation} />}
      </div>
    </li>
  );
}

function OpenOperation({
  operation: { name, input: schema, scope, columns },
}: {
  operation: Operation;
}) {
  const [input, setInput] = useState<UnknownObject>({});
  const [runs, setRuns] = useState(0);
  const may = useMay(scope);
  const run = useMutateOperation("extensions.run", { changes: ["extensions"] });
  const start = () => {
    setRuns((before) => before + 1);
    run.mutate({ operation: name, input });
  };
  return (
    <div className="flex flex-col gap-3 border-t border-line px-3 py-3">
      {takesNothing(schema) ? (
        <p className="text-sm text-muted">No input.</p>
      ) : (
        <Suspense fallback={<Loading />}>
          <SchemaForm
            schema={schema}
            value={input}
            onChange={setInput}
            checks={runs}
            idPrefix={name}
          />
        </Suspense>
      )}
      <div className="flex items-center gap-3">
        <Button variant="primary" icon={Play} disabled={!may} busy={run.isPending} onClick={start}>
          Run
        </Button>
        {!may && <span className="text-sm text-muted">It needs the scope {scope}.</span>}
      </div>
      <Complaint error={run.error} />
      {run.isSuccess && (
        <section aria-label={`Result of ${name}`}>
          <AnswerView answer={run.data} columns={columns} />
        </section>
      )}
    </div>
  );
}
