import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import type { Plane } from "../../../model/plane.ts";
import { Cursor, defaultPage, Limit, NextCursor, Page } from "../../../operations/fields.ts";
import type { Route } from "../describe-route.ts";
import { type App, addRoute } from "../route.ts";

/** What is not known by then is there the next time. */
const waitMs = 1_000;
const names = z.array(z.string());
const total = z.number().int();
const persona = names.optional().meta({ description: "As for tools; repeated." });

const Skill = z
  .looseObject({
    name: z.string(),
    persona: z.string().nullable(),
    version: z.string(),
    instruction_prompt: z.string(),
    required_tools: names,
    required_capabilities: names,
    safety_notes: z.string(),
    summary: z.string().nullable(),
    category: z.string().nullable(),
    capability_tags: names,
    source: z.string(),
    required_input: names.meta({ description: "What its steps want to be given." }),
    missing_tools: names.meta({ description: "Tools it needs that are not in the caller's catalogue." }),
  })
  .meta({ id: "Skill" });

const Entry = z.looseObject({ name: z.string(), persona: z.string().nullable(), source: z.string() });
const Task = Entry.extend({ required_capabilities: names }).meta({ id: "Task" });
const Job = Entry.extend({
  required_capabilities: names,
  schedule: z.object({ state: z.string(), nextAt: z.string().nullable() }).loose(),
}).meta({ id: "Job" });

const SkillFilters = z.object({
  persona,
  capability: names.optional().meta({ description: "Skills that have all of these; repeated." }),
  q: z.string().optional(),
  limit: Limit,
  cursor: Cursor,
});
const WorkFilters = Page.extend({
  persona,
  q: z.string().optional().meta({ description: "Words of its name, summary or description." }),
});
/** As many as a page of jobs holds where nobody says how many, and at most. */
const [usualJobs, maxJobs] = [20, 100];

/** What manifests describe beside tools. */
export function addSkillRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/skills", tag: "Registry", scope: "read", query: SkillFilters },
      summary: "The skills that are meant, by name",
      answers: {
        200: {
          description: "One page.",
          schema: z.object({ count: total, total, nextCursor: NextCursor, skills: z.array(Skill) }),
        },
      },
    },
    async ({ c, caller, query: { persona: personas, capability: capabilities, limit = defaultPage, ...rest } }) => {
      const asked = { ...withoutUndefined({ personas, capabilities, ...rest }), limit };
      const page = await plane.skills.page(asked, { ...caller, waitMs });
      return c.json({ count: page.skills.length, ...page });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/skills/{name}", tag: "Registry", scope: "read" },
      params: { name: "The skill's name." },
      query: z.object({ persona }),
      summary: "One skill",
      answers: { 200: { description: "The skill.", schema: Skill } },
    },
    async ({ c, caller, param, query: { persona: personas } }) =>
      c.json(await plane.skills.get(param("name"), { ...caller, ...withoutUndefined({ personas }) })),
  );
  addWorkRoutes(app, plane);
}

/** Tasks and jobs, a page at a time. */
function addWorkRoutes(app: App, plane: Plane): void {
  const pageOf = (kind: "jobs" | "tasks", schema: z.ZodType): Route<typeof WorkFilters> => ({
    ...{ method: "get", path: `/${kind}`, tag: "Registry", scope: "read", query: WorkFilters },
    summary: `The ${kind} that manifests describe, by name`,
    answers: {
      200: {
        description: "One page.",
        schema: z.object({ total, nextCursor: NextCursor, [kind]: z.array(schema) }),
      },
    },
  });
  addRoute(app, pageOf("jobs", Job), async ({ c, caller, query: { persona: personas, limit, ...rest } }) => {
    const most = Math.min(limit ?? usualJobs, maxJobs);
    const asked = { ...withoutUndefined({ personas, ...rest }), limit: most };
    return c.json(await plane.jobs.page(asked, caller));
  });
  addRoute(
    app,
    pageOf("tasks", Task),
    async ({ c, caller, query: { persona: personas, limit = defaultPage, ...rest } }) =>
      c.json(await plane.tasks.page({ ...withoutUndefined({ personas, ...rest }), limit }, caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tasks/{name}", tag: "Registry", scope: "read" },
      params: { name: "The task's name." },
      query: z.object({ persona }),
      summary: "One task: what it takes and when it counts as done",
      answers: { 200: { description: "The task.", schema: Task } },
    },
    async ({ c, caller, param, query: { persona: personas } }) =>
      c.json(await plane.tasks.get(param("name"), { ...caller, ...withoutUndefined({ personas }) })),
  );
}
