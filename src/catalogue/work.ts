import { withoutUndefined } from "../lib/json/plain-data.ts";
import { jobSubject } from "../model/catalogue/health.ts";
import type {
  JobListing,
  RegistrySummary,
  SkillQuery,
  ToolEntry,
  WorkQuery,
} from "../model/catalogue/registry-summary.ts";
import { toolKey } from "../model/catalogue/tool-name.ts";
import { unfilteredQuery } from "../model/catalogue/tool-query.ts";
import type { ConfigProblem, FromFile } from "../model/config/config.ts";
import { type Page, takePage } from "../model/page.ts";
import type { PlaneRegistry, ToolListing } from "../model/plane-tools.ts";
import type { PlaneJobs, PlaneSkills, PlaneTasks } from "../model/plane-work.ts";
import { type Inside, type Principal, requireScope } from "../model/principal.ts";
import type { JobManifest } from "../model/work/job.ts";
import { type SkillManifest, toolsOfSkill } from "../model/work/skill.ts";
import { idsOf } from "./registry.ts";
import type { ToolListings } from "./tool-listing.ts";
import { type WorkViewer, workKey, workNotFound } from "./visible-work.ts";
import {
  compatibilityOf,
  createWorkListing,
  onlyPersona,
  type WorkListingPorts,
} from "./work-entries.ts";

export type WorkPorts = WorkListingPorts & {
  listings: Pick<ToolListings, "queryTools" | "visibleAs">;
  /** When each of them is due. */
  schedulesOf(jobs: readonly JobManifest[]): Promise<JobListing["schedule"][]>;
  problems(): readonly ConfigProblem[];
};

type SkillVerbs = {
  registrySummary: Inside<PlaneRegistry>["summary"];
  skills: Inside<PlaneSkills>["page"];
  skill: Inside<PlaneSkills>["get"];
};
type WorkVerbs = {
  jobs: Inside<PlaneJobs>["list"];
  queryJobs: Inside<PlaneJobs>["page"];
  tasks: Inside<PlaneTasks>["list"];
  queryTasks: Inside<PlaneTasks>["page"];
  task: Inside<PlaneTasks>["get"];
};

const allSkills: SkillQuery = unfilteredQuery;
const allWork: WorkQuery = { ...unfilteredQuery, name: null };

/** Skills as manifests describe them, and a summary of the registry. */
export function createSkillListingVerbs(ports: WorkPorts): SkillVerbs {
  const { snapshot, listings } = ports;
  const work = createWorkListing(ports);

  /** Servers are asked only if a required tool is not known yet. */
  const missingFrom = async (
    needed: readonly string[],
    principal: Principal,
    viewer: WorkViewer,
    waitMs?: number,
  ) => {
    const missing = () => {
      const { index } = snapshot();
      const visible = listings.visibleAs(principal, viewer.personas);
      const visibleKeys = new Set(visible.map(({ id }) => toolKey(id)));
      const isVisible = (name: string) =>
        idsOf(index.find(name)).some((id) => visibleKeys.has(toolKey(id)));
      return new Set(needed.filter((name) => !isVisible(name)));
    };
    if (missing().size === 0) return missing();
    const wait = withoutUndefined({ waitMs });
    await listings.queryTools({ personas: [...viewer.personas], limit: 1 }, { principal, ...wait });
    return missing();
  };

  const verbs: SkillVerbs = {
    async registrySummary({ persona: requestedPersona, principal, ...wait }) {
      const persona = requestedPersona ?? principal.persona;
      const personas = persona === null ? [] : [persona];
      const viewer = { persona: principal.persona, personas };
      const { tools } = await listings.queryTools({ personas }, { principal, ...wait });
      const { revision } = snapshot();
      const visibleTools = listings.visibleAs(principal, personas);
      return summarizeRegistry(revision, persona, tools, {
        skills: work.skillsFor(viewer).map((skill) => work.skillEntry(skill, persona)),
        tasks: work.taskEntries(work.tasksFor(viewer), viewer, visibleTools),
        jobs: await work.jobEntries(work.jobsFor(viewer), viewer, visibleTools),
      });
    },
    async skills(filters = {}, { principal, waitMs }) {
      requireScope(principal, "read", "look at skills");
      const query = { ...allSkills, ...filters };
      const viewer = { persona: principal.persona, personas: query.personas };
      const { items, ...page } = querySkills(work.skillsFor(viewer), query);
      const needed = [...new Set(items.flatMap(toolsOfSkill))];
      const missing = await missingFrom(needed, principal, viewer, waitMs);
      const skills = items.map((skill) => ({
        ...work.skillEntry(skill, onlyPersona(viewer)),
        missing_tools: toolsOfSkill(skill).filter((name) => missing.has(name)),
      }));
      return { ...page, skills };
    },
    async skill(name, { personas = [], ...caller }) {
      const { skills } = await verbs.skills({ personas }, caller);
      const namedSkill = skills.find((skill) => skill.name === name);
      if (namedSkill !== undefined) return namedSkill;
      const { principal } = caller;
      throw workNotFound("skill", name, { seen: skills, problems: ports.problems(), principal });
    },
  };
  return verbs;
}

/** Tasks and jobs, all of them or a page at a time. A page describes only its own entries: there may be thousands. */
export function createWorkVerbs(ports: WorkPorts): WorkVerbs {
  const { listings } = ports;
  const work = createWorkListing(ports);
  const listVisible = async (principal: Principal, personas: readonly string[]) => {
    await listings.queryTools({ personas: [...personas], limit: 1 }, { principal });
    return {
      viewer: { persona: principal.persona, personas },
      tools: listings.visibleAs(principal, personas),
    };
  };

  const verbs: WorkVerbs = {
    async jobs({ principal, personas = [] }) {
      const { viewer, tools } = await listVisible(principal, personas);
      return work.jobEntries(work.jobsFor(viewer), viewer, tools);
    },
    async queryJobs(filters = {}, { principal }) {
      requireScope(principal, "read", "look at jobs");
      const query = { ...allWork, ...filters };
      const { viewer, tools } = await listVisible(principal, query.personas);
      const { minSuccessRate = null } = filters;
      const { summary } = await ports.health();
      const isGood = (job: JobManifest) =>
        minSuccessRate === null || summary(jobSubject(job)).success_rate >= minSuccessRate;
      const { items, ...page } = queryWork(work.jobsFor(viewer).filter(isGood), query);
      const schedules = await ports.schedulesOf(items);
      const jobs = (await work.jobEntries(items, viewer, tools)).flatMap((entry, index) => {
        const schedule = schedules[index];
        return schedule === undefined ? [] : [{ ...entry, schedule }];
      });
      return { ...page, jobs };
    },
    async tasks({ principal, personas = [] }) {
      return (await verbs.queryTasks({ personas }, { principal })).tasks;
    },
    async queryTasks(filters = {}, { principal }) {
      requireScope(principal, "read", "look at tasks");
      const query = { ...allWork, ...filters };
      const { viewer, tools } = await listVisible(principal, query.personas);
      const { items, ...page } = queryWork(work.tasksFor(viewer), query);
      return { ...page, tasks: work.taskEntries(items, viewer, tools) };
    },
    async task(name, { personas = [], ...caller }) {
      const [namedTask] = (await verbs.queryTasks({ name, personas }, caller)).tasks;
      if (namedTask !== undefined) return namedTask;
      const { principal } = caller;
      const seen = work.tasksFor({ persona: principal.persona, personas });
      throw workNotFound("task", name, { seen, problems: ports.problems(), principal });
    },
  };
  return verbs;
}

type Skill = FromFile<SkillManifest>;

/** One page of the matching skills, in the order of their places. */
export function querySkills(skills: readonly Skill[], query: SkillQuery): Page<Skill> {
  const searchWords = wordsOf(query.q);
  const capabilities = query.capabilities.map((tag) => tag.toLowerCase());
  const matching = skills.filter(({ name, summary = "", category = "", ...skill }) => {
    const tags = [...skill.required_capabilities, ...skill.capability_tags].map((tag) =>
      tag.toLowerCase(),
    );
    const texts = [name, summary, category, skill.instruction_prompt, ...skill.capability_tags];
    return capabilities.every((tag) => tags.includes(tag)) && hasWords(searchWords, texts);
  });
  return takePage(matching, workKey, query);
}

type Work = Pick<JobManifest, "name" | "persona" | "summary" | "description">;

/** One page of the matching tasks or jobs, in the order of their places. */
function queryWork<T extends Work>(entries: readonly T[], query: WorkQuery): Page<T> {
  const searchWords = wordsOf(query.q);
  const matching = entries.filter(
    ({ name, summary = "", description = "" }) =>
      (query.name === null || name === query.name) &&
      hasWords(searchWords, [name, summary, description]),
  );
  return takePage(matching, workKey, query);
}

function wordsOf(q: string | null): string[] {
  return (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

function hasWords(words: readonly string[], texts: readonly string[]): boolean {
  const text = texts.join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

function summarizeRegistry(
  revision: number,
  persona: string | null,
  listed: readonly ToolListing[],
  work: Pick<RegistrySummary, "skills" | "tasks" | "jobs">,
): RegistrySummary {
  const tools = listed.map((tool) => toEntry(tool, persona));
  const personaSpecific = tools.filter(
    ({ compatibility }) => compatibility.persona_specific,
  ).length;
  const compatibility = {
    persona,
    shared: tools.length - personaSpecific,
    persona_specific: personaSpecific,
  };
  return { revision, persona, compatibility, tools, ...work };
}

function toEntry(
  { name, persona, metadata, providers, health }: ToolListing,
  viewer: string | null,
): ToolEntry {
  const {
    providers: providerHealth,
    last_invocation,
    persona: personaHealth,
    recent: _,
    ...tool
  } = health;
  return {
    name,
    persona,
    version: metadata.version,
    capabilities: metadata.capabilities,
    capability_tags: metadata.capabilities.map((tag) => tag.toLowerCase()),
    compatibility: compatibilityOf(persona, metadata.persona_allowlist ?? null, viewer),
    health: {
      tool,
      providers: providerHealth,
      last_invocation,
      ...withoutUndefined({ persona: personaHealth }),
    },
    providers,
  };
}
