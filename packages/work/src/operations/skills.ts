import { workKinds } from "@toolplane/core/model/catalogue/change";
import type { ServerSkill } from "@toolplane/core/model/catalogue/skill-entry";
import type { JsonObject } from "@toolplane/core/model/json";
import { AnyObject } from "@toolplane/core/model/json-schema";
import { SkillRun } from "@toolplane/core/model/work/run-schema";
import { ofPersonaOptions, pageOptions } from "@toolplane/core/operations/command-options";
import {
  Cursor,
  Done,
  defaultPage,
  Limit,
  NextCursor,
  page,
  pageAfterCursor,
  text,
} from "@toolplane/core/operations/fields";
import { changedEntry, impatient, operation } from "@toolplane/core/operations/operation";
import { z } from "zod";
import { Job, WorkEntrySchema } from "./job-schemas.ts";
import { readSuccessRate } from "./success-rate.ts";

const tag = "Registry";
/** A server that has not listed by then is there the next time. */
/** How many jobs a page holds by default, and at most. */
const defaultJobs = 20;
const maxJobs = 100;
const names = z.array(z.string());
const total = z.number().int();
const persona = names.optional().meta({ description: "As for tools; repeated." });
const searchText = z
  .string()
  .optional()
  .meta({ description: "Words of its name, summary or description." });
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
    missing_tools: names.meta({
      description: "Tools it needs that are not in the caller's catalogue.",
    }),
  })
  .meta({ id: "Skill" });

const Published = z
  .object({
    name: z.string(),
    description: z.string(),
    server: z.string().meta({ description: "The server, or the entry of the folder." }),
    kind: z.enum(["server", "folder"]),
    uri: z.string().meta({ description: "The address of its `SKILL.md` at its server." }),
    files: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Null where the server does not list them." }),
    bytes: z.number().int().nullable(),
  })
  .meta({
    id: "PublishedSkill",
    description: "A text for models, with the files that belong to it.",
  });

const Task = WorkEntrySchema.extend({ required_capabilities: names }).meta({ id: "Task" });

function toPublished(
  { server, uri, frontmatter, resources }: ServerSkill,
  folder: string | undefined,
) {
  const files = Array.isArray(resources) ? resources : null;
  return {
    name: frontmatter.name,
    description: frontmatter.description,
    server,
    kind: folder === undefined ? ("server" as const) : ("folder" as const),
    uri,
    files: files?.length ?? null,
    bytes: files?.reduce((sum, { size }) => sum + size, 0) ?? null,
  };
}

/** What manifests describe beside tools. */
export const skillOperations = [
  operation({
    name: "skills.page",
    args: ["..."],
    summary: "Skills, by name",
    scope: "read",
    input: z.object({
      persona,
      capability: names
        .optional()
        .meta({ description: "Skills that have all of these; repeated." }),
      q: z.string().optional(),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ count: total, total, nextCursor: NextCursor, skills: z.array(Skill) }),
    http: { method: "get", path: "/skills", tag, answers: { 200: "One page." } },
    cli: {
      command: "skills list",
      about: "the skills you can use",
      options: {
        ...ofPersonaOptions,
        "--capability <tag>": {
          about: "tagged with it or requiring it; repeatable, all must match",
          kind: "list",
        },
        "--query <words>": {
          about: "whose name, summary, category, tags or instructions contain these words",
          input: "q",
        },
        ...pageOptions,
      },
      examples: ["skills list", "skills list --capability research --json"],
    },
    async run(
      plane,
      { persona: personas, capability: capabilities, limit = defaultPage, ...rest },
      asker,
    ) {
      const query = {
        ...ofPersonas(personas),
        ...(capabilities ? { capabilities } : {}),
        ...(rest as object),
        limit,
      };
      const page = await plane.skills.page(query, impatient(asker));
      return { count: page.skills.length, ...page };
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
    cli: {
      command: "skills show",
      about: "one skill: instructions, requirements, and which of them are missing",
      arguments: { "<name>": "its name" },
      examples: ["skills show research"],
    },
    run: (plane, { name, persona: personas }, asker) =>
      plane.skills.get(name, { ...asker, ...ofPersonas(personas) }),
  }),
  operation({
    name: "skills.published",
    args: [],
    summary: "Skills that servers publish, and those of folders",
    description:
      "Texts for models with a `SKILL.md`, unlike the skills of manifests, which are run. What cannot be loaded is in `leftOut`, with the reason.",
    scope: "read",
    input: z.object({
      ...page,
      server: z.string().optional().meta({ description: "Of this server alone." }),
      q: searchText,
    }),
    output: z.object({
      total,
      nextCursor: NextCursor,
      skills: z.array(Published),
      leftOut: z.array(z.object({ server: z.string(), uri: z.string(), why: z.string() })),
    }),
    http: {
      method: "get",
      path: "/published-skills",
      tag: "Servers",
      answers: { 200: "One page." },
    },
    cli: {
      command: "skills published",
      about: "skills of servers and folders: texts for models, and why some cannot be loaded",
      options: {
        "--server <name>": "only those of this server",
        "--query <words>": { about: "whose name or description contain these words", input: "q" },
      },
      examples: ["skills published", "skills published --server handbook --json"],
    },
    async run(plane, { server, q = "", ...query }, asker) {
      const { skills, leftOut } = await plane.skills.published(impatient(asker));
      const isOf = (skill: { server: string }) => server === undefined || skill.server === server;
      const terms = q.toLowerCase().split(/\s+/);
      const shown = skills
        .filter(isOf)
        .map((skill) => toPublished(skill, plane.config().servers[skill.server]?.skills));
      const matchingSkills = shown.filter((skill) => {
        const text = `${skill.name} ${skill.description}`.toLowerCase();
        return terms.every((term) => text.includes(term));
      });
      const { items: pageSkills, nextCursor } = pageAfterCursor(
        matchingSkills,
        ({ server: of, uri }) => `${of}\n${uri}`,
        query,
      );
      return {
        total: matchingSkills.length,
        nextCursor,
        skills: pageSkills,
        leftOut: leftOut.filter(isOf),
      };
    },
  }),
  operation({
    name: "skills.run",
    args: ["name", "input"],
    summary: "Check that the skill's requirements are met, then run it",
    description:
      "409 with the reasons when something is missing. When the client goes away, it is cancelled.",
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
    cli: {
      command: "skills run",
      about: "check that its requirements are met, then run it",
      arguments: { "<name>": "its name", "[input...]": "key=text or key:=json" },
      options: {
        "--args <json>": {
          about: "the input as JSON, @file or - for standard input",
          input: "input",
        },
        "--yes": "agree to what the policy would ask about",
        "--dry-run": "show what would be done, or why it cannot be",
        "--model <name>": "the model that follows instructions without steps",
        "--conversation <id>": "the conversation to continue",
      },
      examples: ["skills run report city=Rome", "skills run report --dry-run"],
    },
    run: (plane, { name, input = {}, ...options }, asker) =>
      plane.skills.run(name, input as JsonObject, { ...(options as object), ...asker }),
  }),
  operation({
    name: "jobs.page",
    args: ["..."],
    summary: "The jobs that manifests describe, by name",
    scope: "read",
    input: z.object({
      ...page,
      persona,
      q: searchText,
      min_success_rate: text("Of its last runs: `0.8`, `80` or `80%`; `1` is all.").optional(),
    }),
    output: z.object({ total, nextCursor: NextCursor, jobs: z.array(Job) }),
    http: { method: "get", path: "/jobs", tag, answers: { 200: "One page." } },
    cli: {
      command: "jobs list",
      about: "the jobs you can use, and when they are due",
      options: {
        ...ofPersonaOptions,
        "--query <words>": {
          about: "whose name, summary or description contain these words",
          input: "q",
        },
        "--min-success-rate <share>": "with at least this success rate: 0.8, 80 or 80%",
        ...pageOptions,
      },
      examples: ["jobs list", "jobs list --persona Atlas --json"],
    },
    run(
      plane,
      { persona: personas, limit = defaultJobs, min_success_rate: share, ...rest },
      asker,
    ) {
      const query = {
        ...ofPersonas(personas),
        ...(rest as object),
        limit: Math.min(limit, maxJobs),
        ...(share === undefined ? {} : { minSuccessRate: readSuccessRate(share) }),
      };
      return plane.jobs.page(query, asker);
    },
  }),
  operation({
    name: "tasks.page",
    args: ["..."],
    summary: "The tasks that manifests describe, by name",
    scope: "read",
    input: z.object({ ...page, persona, q: searchText }),
    output: z.object({ total, nextCursor: NextCursor, tasks: z.array(Task) }),
    http: { method: "get", path: "/tasks", tag, answers: { 200: "One page." } },
    cli: {
      command: "tasks list",
      about: "the tasks you can use",
      options: {
        ...ofPersonaOptions,
        "--query <words>": {
          about: "whose name, summary or description contain these words",
          input: "q",
        },
        ...pageOptions,
      },
      examples: ["tasks list", "tasks list --query report --json"],
    },
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
    cli: {
      command: "tasks show",
      about: "one task: its skills, what it needs and when it is done",
      arguments: { "<name>": "its name" },
      examples: ["tasks show gather"],
    },
    run: (plane, { name, persona: personas }, asker) =>
      plane.tasks.get(name, { ...asker, ...ofPersonas(personas) }),
  }),
  ...workKinds.map((kind) =>
    operation({
      name: "registry.delete",
      args: ["kind", "name", "..."],
      summary: `Delete a ${kind} that came with a bundle`,
      description: "409 where a file has it, or another entry still needs it.",
      scope: "admin",
      input: z.object({
        kind: z.literal(kind),
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
        show: (ok: boolean) => ({ ok }),
      },
      audit: changedEntry((input: { name: string }) => input.name, "kind"),
      cli: {
        command: "registry delete",
        about: "delete a skill, task or job that came with a bundle",
        arguments: {
          "<kind>": "skill, task or job",
          "<name>": "its name; with --persona the one of that persona",
        },
        options: { "--reason <text>": "why, for the history" },
        examples: ["registry delete job digest --reason 'not needed any more'"],
      },
    }),
  ),
];
