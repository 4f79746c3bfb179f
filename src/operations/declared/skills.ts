import { z } from "zod";
import { workKinds } from "../../model/catalogue/change.ts";
import type { JsonObject } from "../../model/json.ts";
import { AnyObject, Cursor, Done, defaultPage, Limit, NextCursor, page, text } from "../fields.ts";
import { changedEntry, operation } from "../operation.ts";
import { SkillRun } from "../schemas/job-run.ts";

const tag = "Registry";
/** A server that has not listed by then is there the next time. */
const waitMs = 1_000;
/** How many jobs a page holds by default, and at most. */
const [defaultJobs, maxJobs] = [20, 100];
const names = z.array(z.string());
const total = z.number().int();
const persona = names.optional().meta({ description: "As for tools; repeated." });
const words = z.string().optional().meta({ description: "Words of its name, summary or description." });
const ofPersonas = (personas: string[] | undefined) => (personas === undefined ? {} : { personas });

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
    required_input: names.meta({ description: "The inputs of its steps." }),
    missing_tools: names.meta({ description: "Tools it needs that are not in the caller's catalogue." }),
  })
  .meta({ id: "Skill" });

const Entry = z.looseObject({ name: z.string(), persona: z.string().nullable(), source: z.string() });
const Task = Entry.extend({ required_capabilities: names }).meta({ id: "Task" });
const Job = Entry.extend({
  required_capabilities: names,
  schedule: z.object({ state: z.string(), nextAt: z.string().nullable() }).loose(),
}).meta({ id: "Job" });

/** What manifests describe beside tools. */
export const skillOperations = [
  operation({
    name: "skills.page",
    args: ["..."],
    summary: "Skills, by name",
    scope: "read",
    input: z.object({
      persona,
      capability: names.optional().meta({ description: "Skills that have all of these; repeated." }),
      q: z.string().optional(),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ count: total, total, nextCursor: NextCursor, skills: z.array(Skill) }),
    http: { method: "get", path: "/skills", tag, answers: { 200: "One page." } },
    cli: { command: "skills list" },
    async run(plane, { persona: personas, capability: capabilities, limit = defaultPage, ...rest }, asker) {
      const query = { ...ofPersonas(personas), ...(capabilities ? { capabilities } : {}), ...(rest as object), limit };
      const found = await plane.skills.page(query, { ...asker, waitMs });
      return { count: found.skills.length, ...found };
    },
  }),
  operation({
    name: "skills.get",
    args: ["name"],
    summary: "One skill",
    scope: "read",
    input: z.object({ name: text("The skill's name."), persona }),
    output: Skill,
    http: { method: "get", path: "/skills/{name}", tag, answers: { 200: "The skill." } },
    cli: { command: "skills show" },
    run: (plane, { name, persona: personas }, asker) => plane.skills.get(name, { ...asker, ...ofPersonas(personas) }),
  }),
  operation({
    name: "skills.run",
    args: ["name", "input"],
    summary: "Check that the skill's requirements are met, then run it",
    description: "409 with the reasons when something is missing. When the client goes away, it is cancelled.",
    scope: "call",
    input: z.object({
      name: text("The skill's name."),
      input: AnyObject.optional(),
      dryRun: z.boolean().optional(),
      conversation: z.string().optional(),
      model: z.string().optional(),
      approvalWaitMs: z.number().optional(),
    }),
    output: SkillRun,
    http: {
      method: "post",
      path: "/skills/{name}/run",
      tag: "Jobs",
      open: true,
      cancels: true,
      wait: {
        input: "approvalWaitMs",
        means: "wait this many seconds for a person's approval of a call, if it needs one.",
      },
      body: { description: "Its input.", example: { input: { city: "Rome" } }, optional: true },
      answers: { 200: "How it went." },
    },
    cli: { command: "skills run" },
    run: (plane, { name, input = {}, ...options }, asker) =>
      plane.skills.run(name, input as JsonObject, { ...(options as object), ...asker }),
  }),
  operation({
    name: "jobs.page",
    args: ["..."],
    summary: "The jobs that manifests describe, by name",
    scope: "read",
    input: z.object({ ...page, persona, q: words }),
    output: z.object({ total, nextCursor: NextCursor, jobs: z.array(Job) }),
    http: { method: "get", path: "/jobs", tag, answers: { 200: "One page." } },
    cli: { command: "jobs list" },
    run: (plane, { persona: personas, limit = defaultJobs, ...rest }, asker) =>
      plane.jobs.page({ ...ofPersonas(personas), ...(rest as object), limit: Math.min(limit, maxJobs) }, asker),
  }),
  operation({
    name: "tasks.page",
    args: ["..."],
    summary: "The tasks that manifests describe, by name",
    scope: "read",
    input: z.object({ ...page, persona, q: words }),
    output: z.object({ total, nextCursor: NextCursor, tasks: z.array(Task) }),
    http: { method: "get", path: "/tasks", tag, answers: { 200: "One page." } },
    cli: { command: "tasks list" },
    run: (plane, { persona: personas, limit = defaultPage, ...rest }, asker) =>
      plane.tasks.page({ ...ofPersonas(personas), ...(rest as object), limit }, asker),
  }),
  operation({
    name: "tasks.get",
    args: ["name"],
    summary: "One task: what it takes and when it counts as done",
    scope: "read",
    input: z.object({ name: text("The task's name."), persona }),
    output: Task,
    http: { method: "get", path: "/tasks/{name}", tag, answers: { 200: "The task." } },
    cli: { command: "tasks show" },
    run: (plane, { name, persona: personas }, asker) => plane.tasks.get(name, { ...asker, ...ofPersonas(personas) }),
  }),
  ...workKinds.map((kind) =>
    operation({
      name: "registry.delete",
      args: ["kind", "name", "..."],
      summary: `Delete a ${kind} that came with a bundle`,
      description: "409 where a file has it, or another entry still needs it.",
      scope: "admin",
      input: z.object({
        name: text(`The ${kind}'s name.`),
        persona: z.string().optional(),
        reason: z.string().optional().meta({ description: "Why; kept with the change." }),
      }),
      output: Done,
      http: {
        method: "delete",
        path: `/${kind}s/{name}`,
        tag,
        answers: { 200: "`ok` is false when there was none." },
      },
      audit: changedEntry((input: { name: string }) => input.name, "kind"),
      cli: { command: "registry delete" },
      run: async (plane, { name, ...options }, asker) => ({
        ok: await plane.registry.delete(kind, name, options as object, asker),
      }),
    }),
  ),
];
