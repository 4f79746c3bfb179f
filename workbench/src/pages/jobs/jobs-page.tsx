import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { CalendarClock } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { JobView } from "./job-view.tsx";
import { renderRecurrence } from "./render-recurrence.ts";
import { RunState } from "./run-state.tsx";

type JobEntry = AnswerOf<"jobs.page">["jobs"][number];

const route = getRouteApi("/jobs");

/** Jobs: schedule, last run, health. */
export function JobsPage() {
  const query = useOperation("jobs.page", { limit: 1000 });
  const { job: open = null } = route.useSearch();
  const navigate = useNavigate();
  const setOpen = (job: string | null) =>
    void navigate({ to: "/jobs", search: job === null ? {} : { job }, replace: true });
  return (
    <Page fill title="Jobs" about="Scheduled workflows. Start one by hand or on a schedule.">
      <QueryView query={query}>
        {({ jobs }) => (
          <DataTable
            label="Jobs"
            columns={columnsOf(setOpen)}
            rows={jobs}
            rowHeight={52}
            keyOf={({ name, persona }) => `${persona ?? ""}/${name}`}
            onOpen={({ name }) => setOpen(name)}
            isSelected={({ name }) => name === open}
            empty={
              <Empty icon={CalendarClock} title="No jobs">
                <p className="mb-3">
                  A manifest describes one: its tasks, their order and when they are due. Name its
                  files in the configuration, and they are listed here at once.
                </p>
                <CodeView wrap label="entry" text={'"manifests": ["work/*.json"]'} />
              </Empty>
            }
          />
        )}
      </QueryView>
      <Dialog side open={open !== null} onClose={() => setOpen(null)} title={open ?? ""}>
        {open !== null && <JobView name={open} />}
      </Dialog>
    </Page>
  );
}

const columnsOf = (onOpen: (name: string) => void): Column<JobEntry>[] => [
  {
    title: "Job",
    width: "minmax(130px, 3fr)",
    render: (job) => <JobName job={job} onOpen={onOpen} />,
  },
  {
    title: "When",
    width: "minmax(120px, 1.5fr)",
    wide: true,
    render: ({ recurrence }) => (
      <span className="text-muted" title={recurrence?.cron}>
        {renderRecurrence(recurrence)}
      </span>
    ),
  },
  { title: "Next", width: "72px", render: ({ name }) => <NextTime name={name} /> },
  { title: "Last run", width: "104px", render: ({ name }) => <LastRun name={name} /> },
  {
    title: "Health",
    width: "90px",
    align: "right",
    wide: true,
    render: ({ health }) =>
      health.job.total === 0 ? (
        <span className="text-muted">–</span>
      ) : (
        `${Math.round(health.job.success_rate * 100)} % of ${health.job.total}`
      ),
  },
];

type JobNameProps = { job: JobEntry; onOpen: (name: string) => void };

function JobName({ job: { name, summary, description }, onOpen }: JobNameProps) {
  return (
    <div className="min-w-0">
      <button
        type="button"
        onClick={() => onOpen(name)}
        className="block max-w-full truncate font-medium hover:underline"
      >
        {name}
      </button>
      <div className="truncate text-xs text-muted">{summary ?? description ?? ""}</div>
    </div>
  );
}

function NextTime({ name }: { name: string }) {
  const { data, isPending } = useOperation("jobs.get", { name });
  if (isPending) return <span className="text-muted">…</span>;
  const schedule = data?.schedule;
  if (schedule?.state === "paused") return <Badge tone="warn">paused</Badge>;
  return <Time at={schedule?.nextAt ?? null} />;
}

function LastRun({ name }: { name: string }) {
  const { data: job, isPending } = useOperation("jobs.get", { name });
  if (isPending) return <span className="text-muted">…</span>;
  if (!job?.lastRun) return <span className="text-muted">–</span>;
  return <RunState state={job.lastRun.state} />;
}
