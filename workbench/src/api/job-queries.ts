import { queryOptions } from "@tanstack/react-query";
import { callOperation, operationPages } from "./operations.ts";

export const jobRunsQuery = (name: string) => operationPages("jobs.history", { name, limit: 50 });

export type SkillCheck = { skill: string; problem: string | null };

/** Dry-runs each skill; one that cannot run says why. */
export const preflightQuery = (job: string, skills: readonly string[]) =>
  queryOptions({
    queryKey: ["preflight", job, skills],
    queryFn: () =>
      Promise.all(
        skills.map(
          (skill): Promise<SkillCheck> =>
            callOperation("skills.run", { name: skill, dryRun: true }).then(
              ({ error }) => ({ skill, problem: error?.message ?? null }),
              (thrown) => ({
                skill,
                problem: thrown instanceof Error ? thrown.message : String(thrown),
              }),
            ),
        ),
      ),
    enabled: false,
    gcTime: 0,
  });
