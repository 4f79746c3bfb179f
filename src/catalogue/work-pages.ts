import type { JobListing, WorkQuery } from "../model/catalogue/registry-summary.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { everyTool } from "../model/catalogue/tool-query.ts";
import type { ConfigProblem } from "../model/config/config.ts";
import { type Page, takePage } from "../model/page.ts";
import { type Principal, requireScope } from "../model/principal.ts";

import type { Verbs } from "../model/verbs.ts";
import type { JobManifest } from "../model/work/job.ts";
import { noWork } from "./no-work.ts";
import { type Viewer, workPlace } from "./visible-work.ts";
import { createWorkListing, viewerOf, type WorkParts } from "./work-listing.ts";

export type PageParts = WorkParts & {
  /** When each of them is due. */
  schedulesOf(jobs: readonly JobManifest[]): Promise<JobListing["schedule"][]>;
  problems(): readonly ConfigProblem[];
};

type PageVerbs = Pick<Verbs, "jobs" | "queryJobs" | "tasks" | "queryTasks" | "task">;

const everything: WorkQuery = { ...everyTool, name: null };

/** Tasks and jobs, all of them or a page at a time: there may be thousands, and a page looks at its own only. */
export function createWorkPages(parts: PageParts, defaultPrincipal: Principal): PageVerbs {
  const { catalogue } = parts;
  const listing = createWorkListing(parts);

  async function look(
    principal: Principal,
    personas: readonly string[],
  ): Promise<{ viewer: Viewer; tools: readonly Tool[] }> {
    await catalogue.queryTools({ personas: [...personas], limit: 1 }, { principal });
    return { viewer: viewerOf(principal, personas), tools: catalogue.lookAt(principal, personas) };
  }

  const verbs: PageVerbs = {
    async jobs({ principal = defaultPrincipal, personas = [] } = {}) {
      const { viewer, tools } = await look(principal, personas);
      return listing.jobEntries(listing.jobsFor(viewer), viewer, tools);
    },
    async queryJobs(asked = {}, { principal = defaultPrincipal } = {}) {
      requireScope(principal, "read", "look at jobs");
      const query = { ...everything, ...asked };
      const { viewer, tools } = await look(principal, query.personas);
      const { items, ...page } = queryWork(listing.jobsFor(viewer), query);
      const schedules = await parts.schedulesOf(items);
      const entries = await listing.jobEntries(items, viewer, tools);
      const jobs = entries.flatMap((entry, at) => {
        const schedule = schedules[at];
        return schedule === undefined ? [] : [{ ...entry, schedule }];
      });
      return { ...page, jobs };
    },
    async tasks({ principal = defaultPrincipal, personas = [] } = {}) {
      return (await verbs.queryTasks({ personas }, { principal })).tasks;
    },
    async queryTasks(asked = {}, { principal = defaultPrincipal } = {}) {
      requireScope(principal, "read", "look at tasks");
      const query = { ...everything, ...asked };
      const { viewer, tools } = await look(principal, query.personas);
      const { items, ...page } = queryWork(listing.tasksFor(viewer), query);
      return { ...page, tasks: listing.taskEntries(items, viewer, tools) };
    },
    async task(name, { personas = [], ...caller } = {}) {
      const { tasks } = await verbs.queryTasks({ name, personas }, caller);
      const [first] = tasks;
      if (first !== undefined) return first;
      const { principal = defaultPrincipal } = caller;
      const seen = listing.tasksFor(viewerOf(principal, personas));
      throw noWork("task", name, { seen, problems: parts.problems(), principal });
    },
  };
  return verbs;
}

type Work = {
  name: string;
  persona?: string | undefined;
  summary?: string | undefined;
  description?: string | undefined;
};

/** Those of the tasks or jobs that are meant, one page of them. They come and go in the order of their places. */
function queryWork<T extends Work>(all: readonly T[], query: WorkQuery): Page<T> {
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter(
    (one) => (query.name === null || one.name === query.name) && words.every((word) => textOf(one).includes(word)),
  );
  return takePage(matching, workPlace, query);
}

function textOf({ name, summary = "", description = "" }: Work): string {
  return `${name}\n${summary}\n${description}`.toLowerCase();
}
