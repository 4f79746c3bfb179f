import { errorTable } from "@toolplane/core/model/errors";
import type { ErrorReport } from "@toolplane/core/model/errors-schema";
import type { Principal } from "@toolplane/core/model/principal";
import { jobRunView, type KeptJobRun } from "@toolplane/core/model/work/job-run";
import type { JobRun, StepRun } from "@toolplane/core/model/work/run-schema";

type Sight = { seesTool(name: string, principal: Principal): boolean };

/** A caller who may not see a tool learns its name neither from its steps nor from the errors of the run. */
export function showRun({ seesTool }: Sight, run: KeptJobRun, principal: Principal): JobRun {
  const view = jobRunView(run);
  const isHidden = ({ tool }: StepRun) => tool !== null && !seesTool(tool, principal);
  const hide = (step: StepRun): StepRun => {
    if (!isHidden(step)) return step;
    return { ...step, tool: null, record: null, error: step.error && withoutNames(step.error) };
  };
  if (!view.tasks.some((task) => task.steps.some(isHidden))) return view;
  const tasks = view.tasks.map((task) => {
    if (!task.steps.some(isHidden)) return task;
    return { ...task, steps: task.steps.map(hide), error: task.error && withoutNames(task.error) };
  });
  return { ...view, tasks, error: view.error && withoutNames(view.error) };
}

/** A message and its data may name the tool and its server. */
function withoutNames(error: ErrorReport): ErrorReport {
  return {
    ...error,
    message: errorTable[error.code].means,
    server: null,
    tool: null,
    cause: null,
    data: {},
  };
}
