import type { WorkPackage } from "@toolplane/core/work";

export const createDeadLetters: WorkPackage["createDeadLetters"] = async (parts) => {
  const letters = await import("./dead-letters/dead-letters.ts");
  return letters.createDeadLetters(parts);
};

export const createJobs: WorkPackage["createJobs"] = async (parts) => {
  const jobs = await import("./jobs/jobs.ts");
  return jobs.createJobs(parts);
};

export const createPlanner: WorkPackage["createPlanner"] = async (parts) => {
  const planner = await import("./planner/check-plan.ts");
  return planner.createPlanner(parts);
};

export const showSchedules: WorkPackage["showSchedules"] = async (...args) => {
  const schedules = await import("./jobs/schedule.ts");
  return schedules.showSchedules(...args);
};
