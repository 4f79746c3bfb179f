import type { PlanePlans } from "../model/plane-access.ts";
import type { PlaneDeadLetters, PlaneJobs, PlaneSkills } from "../model/plane-work.ts";

/** What the parts of this room call the verbs of the plane. */
export type DeadLetterVerbs = {
  deadLetters: PlaneDeadLetters["page"];
  deadLetter: PlaneDeadLetters["get"];
  retryDeadLetter: PlaneDeadLetters["retry"];
  resolveDeadLetter: PlaneDeadLetters["resolve"];
  abandonDeadLetter: PlaneDeadLetters["abandon"];
  deleteDeadLetter: PlaneDeadLetters["delete"];
  restoreDeadLetter: PlaneDeadLetters["restore"];
};

export type JobVerbs = {
  job: PlaneJobs["get"];
  runJob: PlaneJobs["run"];
  rerunJob: PlaneJobs["rerun"];
  pauseJob: PlaneJobs["pause"];
  resumeJob: PlaneJobs["resume"];
  cancelJobRun: PlaneJobs["cancel"];
  jobRun: PlaneJobs["status"];
  jobRuns: PlaneJobs["history"];
};

export type SkillVerbs = { runSkill: PlaneSkills["run"] };
export type ToolPlanVerbs = { checkPlan: PlanePlans["check"] };
