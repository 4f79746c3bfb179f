import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { JobEntry } from "../../../src/model/catalogue/registry-summary.ts";
import type { JobRunPage, JobStatus } from "../../../src/model/plane-work.ts";
import type { SkillRun } from "../../../src/model/work/skill-run.ts";

import type { Paged } from "./answers.ts";
import { get, part, post, withQuery } from "./client.ts";

export const jobsQuery = () =>
  queryOptions({
    queryKey: ["jobs", "list"],
    queryFn: ({ signal }) => get<Paged<"jobs", JobEntry>>("/jobs?limit=1000", signal),
  });

export const jobQuery = (name: string) =>
  queryOptions({
    queryKey: ["jobs", "one", name],
    queryFn: ({ signal }) => get<JobStatus>(`/jobs/${part(name)}`, signal),
  });

export const jobRunsQuery = (name: string) =>
  infiniteQueryOptions({
    queryKey: ["jobs", "runs", name],
    queryFn: ({ pageParam, signal }) =>
      get<JobRunPage>(withQuery(`/jobs/${part(name)}/runs`, { limit: 50, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export type SkillCheck = { skill: string; problem: string | null };

/** Dry-runs each skill; one that cannot run says why. */
export const preflightQuery = (job: string, skills: readonly string[]) =>
  queryOptions({
    queryKey: ["preflight", job, skills],
    queryFn: () =>
      Promise.all(
        skills.map(
          (skill): Promise<SkillCheck> =>
            post<SkillRun>(`/skills/${part(skill)}/run`, { dryRun: true }).then(
              ({ error }) => ({ skill, problem: error?.message ?? null }),
              (thrown) => ({ skill, problem: thrown instanceof Error ? thrown.message : String(thrown) }),
            ),
        ),
      ),
    enabled: false,
    gcTime: 0,
  });
