import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { preflightQuery } from "../../api/job-queries.ts";
import { callOperation, useOperation } from "../../api/operations.ts";
import { useMayChange } from "../../app/session.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { CirclePause, Play, ShieldCheck } from "../../parts/icons.ts";
import { Facts } from "../../parts/page.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { counted, renderDuration, Time } from "../../parts/time.tsx";
import { problemWith } from "../approvals/arguments-editor.tsx";
import { JobRuns } from "./job-runs.tsx";
import { renderRecurrence } from "./render-recurrence.ts";

type JobStatus = AnswerOf<"jobs.get">;

/** One job: tasks, schedule, readiness and runs. */
export function JobView({ name }: { name: string }) {
  const query = useOperation("jobs.get", { name });
  return (
    <QueryView query={query}>
      {(job) => (
        <div className="flex flex-col gap-4">
          <p className="whitespace-pre-wrap break-words text-sm">
            {job.description ?? job.summary}
          </p>
          <JobActions job={job} />
          <JobFacts job={job} />
          <Preflight job={job} />
          <TaskOrder job={job} />
          <JobRuns name={name} />
        </div>
      )}
    </QueryView>
  );
}

function JobActions({ job }: { job: JobStatus }) {
  const { name, schedule, accepts_external_requests: isForAll } = job;
  const client = useQueryClient();
  const [input, setInput] = useState(() => JSON.stringify(suggestInput(job), null, 2));
  const problem = problemWith(input);
  const mayCall = useMayChange("call");
  const mayChange = useMayChange("admin");
  const act = useMutation({
    mutationFn: async (verb: "run" | "pause" | "resume"): Promise<void> => {
      if (verb === "run")
        await callOperation("jobs.run", { name, input: JSON.parse(input) as JsonObject });
      else await callOperation(`jobs.${verb}`, { name });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
  const isBusyWith = (verb: string) => act.isPending && act.variables === verb;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon={Play}
          disabled={!(isForAll ? mayCall : mayChange) || problem !== null}
          busy={isBusyWith("run")}
          onClick={() => act.mutate("run")}
        >
          Run now
        </Button>
        {schedule.state === "scheduled" && (
          <Button
            icon={CirclePause}
            disabled={!mayChange}
            busy={isBusyWith("pause")}
            onClick={() => act.mutate("pause")}
          >
            Pause
          </Button>
        )}
        {schedule.state === "paused" && (
          <Button
            icon={Play}
            disabled={!mayChange}
            busy={isBusyWith("resume")}
            onClick={() => act.mutate("resume")}
          >
            Resume
          </Button>
        )}
      </div>
      <Field label="Input" hint="What this run gets, as JSON." error={problem}>
        <TextArea
          rows={Math.min(12, input.split("\n").length)}
          value={input}
          onChange={({ target }) => setInput(target.value)}
        />
      </Field>
      <Complaint error={act.error} />
    </div>
  );
}

/** The job's own input, and the names that its tasks refer to. */
function suggestInput({ input = {}, task_graph: graph }: JobStatus): JsonObject {
  const names = [...JSON.stringify(graph).matchAll(/\$\{input\.([\w-]+)/g)].map(
    ([, name = ""]) => name,
  );
  return { ...Object.fromEntries(names.map((name) => [name, ""])), ...input };
}

function JobFacts({ job }: { job: JobStatus }) {
  const { schedule, health, active } = job;
  const { total, success_rate, average_latency_ms } = health.job;
  return (
    <Facts
      items={[
        ["When", renderRecurrence(job.recurrence)],
        [
          "Cron",
          job.recurrence?.cron && <code className="font-mono text-xs">{job.recurrence.cron}</code>,
        ],
        ["Next", schedule.nextAt && <Time full key="next" at={schedule.nextAt} />],
        [
          "Paused",
          schedule.pausedAt && (
            <>
              <Time at={schedule.pausedAt} /> by {schedule.pausedBy ?? "anonymous"}
            </>
          ),
        ],
        ["Running", active === 0 ? null : String(active)],
        [
          "Health",
          total === 0
            ? "not run yet"
            : `${Math.round(success_rate * 100)} % of ${counted(total, "run")} succeeded, ${renderDuration(average_latency_ms)} on average`,
        ],
        ["Personas", job.personas.join(", ")],
        ["Needs", job.required_capabilities.join(", ")],
      ]}
    />
  );
}

function Preflight({ job: { name, required_skills: skills } }: { job: JobStatus }) {
  const check = useQuery(preflightQuery(name, skills));
  if (skills.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <Button
        icon={ShieldCheck}
        className="w-fit"
        busy={check.isFetching}
        onClick={() => void check.refetch()}
      >
        Check readiness
      </Button>
      <Complaint error={check.error} />
      {check.data && (
        <ul aria-label="Preflight" className="flex flex-col gap-1 text-sm">
          {check.data.map(({ skill, problem }) => (
            <li key={skill} className="flex flex-wrap items-baseline gap-2">
              <Badge tone={problem === null ? "good" : "bad"}>
                {problem === null ? "ready" : "not ready"}
              </Badge>
              <span className="font-medium">{skill}</span>
              {problem !== null && (
                <span className="min-w-0 whitespace-pre-wrap break-words text-muted">
                  {problem}
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function TaskOrder({ job: { task_graph: graph } }: { job: JobStatus }) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-muted">Tasks</h3>
      <ol className="flex flex-col gap-1 text-sm">
        {graph.map(({ task, depends_on: after, description }) => (
          <li key={task} className="break-words">
            <span className="font-medium">{task}</span>
            {after.length > 0 && (
              <span className="text-xs text-muted"> after {after.join(", ")}</span>
            )}
            {description && <span className="block text-xs text-muted">{description}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
