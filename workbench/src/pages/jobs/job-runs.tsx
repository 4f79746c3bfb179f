import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { jobRunsQuery } from "../../api/job-queries.ts";
import { callOperation } from "../../api/operations.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { GrowingList } from "../../parts/growing-list.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { toastError } from "../../parts/toast.ts";
import { RunState } from "./run-state.tsx";

type JobRun = AnswerOf<"jobs.status">;
type TaskRun = JobRun["tasks"][number];

/** A job's runs, newest first, with their tasks. */
export function JobRuns({ name }: { name: string }) {
  const query = useInfiniteQuery(jobRunsQuery(name));
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">Runs</h3>
      <QueryView query={query}>
        {() =>
          runs.length === 0 ? (
            <Empty title="No runs yet" />
          ) : (
            <GrowingList className="gap-2" items={runs} keyOf={({ id }) => id}>
              {(run) => <RunItem run={run} />}
            </GrowingList>
          )
        }
      </QueryView>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show earlier runs
        </Button>
      )}
    </section>
  );
}

function RunItem({ run }: { run: JobRun }) {
  const client = useQueryClient();
  const mayCall = useMayChange("call");
  const isOver = run.endedAt !== null;
  const [isStopping, setStopping] = useState(false);
  const act = useMutation({
    mutationFn: async (): Promise<void> => {
      await callOperation(isOver ? "jobs.rerun" : "jobs.cancel", { id: run.id });
    },
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  const tookMs =
    run.startedAt && run.endedAt ? Date.parse(run.endedAt) - Date.parse(run.startedAt) : null;
  return (
    <article className="rounded-md border border-line p-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <RunState state={run.state} />
        <Time full at={run.startedAt ?? run.createdAt} />
        <span className="text-xs text-muted">
          {run.origin === "schedule" ? "scheduled" : (run.user ?? "manual")}
          {tookMs !== null && `, ${renderDuration(tookMs)}`}
        </span>
        <Button
          variant="quiet"
          className="ml-auto"
          disabled={!mayCall}
          busy={act.isPending}
          onClick={() => (isOver ? act.mutate() : setStopping(true))}
        >
          {isOver ? "Run again" : "Stop"}
        </Button>
      </div>
      {run.error && !run.tasks.some(({ error }) => error?.message === run.error?.message) && (
        <p className="mt-1 break-words text-xs text-bad">{run.error.message}</p>
      )}
      <ol className="mt-2 flex flex-col gap-1">
        {run.tasks.map((task) => (
          <TaskItem key={task.task} task={task} />
        ))}
      </ol>
      <Confirm
        open={isStopping && !isOver}
        title="Stop this run?"
        action="Stop"
        onClose={() => setStopping(false)}
        onConfirm={() => {
          setStopping(false);
          act.mutate();
        }}
      >
        <p>Finished tasks stay done; the others do not start.</p>
      </Confirm>
    </article>
  );
}

function TaskItem({ task: { task, state, attempts, error, steps } }: { task: TaskRun }) {
  return (
    <li className="flex flex-wrap items-center gap-2 text-xs">
      {/* A failed task is stored as cancelled, with an error. */}
      <RunState state={error && state === "cancelled" ? "failed" : state} />
      <span className="font-medium">{task}</span>
      {attempts > 1 && <span className="text-muted">{attempts} attempts</span>}
      {steps.map(
        ({ id, tool, record }) =>
          record !== null &&
          tool !== null && (
            <Link
              key={id}
              to="/calls/$id"
              params={{ id: record }}
              className="font-mono text-accent hover:underline"
            >
              {tool}
            </Link>
          ),
      )}
      {error && <span className="basis-full break-words text-bad">{error.message}</span>}
    </li>
  );
}
