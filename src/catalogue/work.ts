import type { RegistrySummary, SkillQuery, ToolEntry } from "../model/catalogue/registry-summary.ts";
import { toolKey } from "../model/catalogue/tool-name.ts";
import { everyTool } from "../model/catalogue/tool-query.ts";
import type { FromFile } from "../model/config/config.ts";
import { type Page, takePage } from "../model/page.ts";
import type { ToolListing } from "../model/plane-tools.ts";
import { type Principal, requireScope } from "../model/principal.ts";
import type { Verbs } from "../model/verbs.ts";
import { type SkillManifest, toolsOfSkill } from "../model/work/skill.ts";

import { noWork } from "./no-work.ts";
import { type Viewer, workPlace } from "./visible-work.ts";
import { compatibilityOf } from "./work-entries.ts";
import { askedFor, createWorkListing, idsOf, viewerOf } from "./work-listing.ts";
import { createWorkPages, type PageParts } from "./work-pages.ts";

type WorkVerbs = Pick<Verbs, "registrySummary" | "skills" | "skill"> & ReturnType<typeof createWorkPages>;
type Patience = { waitMs?: number };

/** Skills, tasks and jobs as manifests describe them, and the registry in short. */
export function createWorkVerbs(parts: PageParts, defaultPrincipal: Principal): WorkVerbs {
  const { snapshot, catalogue } = parts;

  const listing = createWorkListing(parts);

  /** Servers are asked only where a tool that is needed is not known yet. */
  const missingFrom = async (needed: readonly string[], principal: Principal, viewer: Viewer, patience: Patience) => {
    const missing = () => {
      const { index } = snapshot();
      const there = new Set(catalogue.lookAt(principal, viewer.personas).map(({ id }) => toolKey(id)));
      return new Set(needed.filter((name) => !idsOf(index.find(name)).some((id) => there.has(toolKey(id)))));
    };
    if (missing().size === 0) return missing();
    await catalogue.queryTools({ personas: [...viewer.personas], limit: 1 }, { principal, ...patience });
    return missing();
  };

  const verbs: WorkVerbs = {
    ...createWorkPages(parts, defaultPrincipal),
    async registrySummary({ persona: asked, principal = defaultPrincipal, ...patience } = {}) {
      const persona = asked ?? principal.persona;
      const viewer = viewerOf(principal, persona === null ? [] : [persona]);
      const { tools } = await catalogue.queryTools({ personas: [...viewer.personas] }, { principal, ...patience });
      const { revision } = snapshot();
      const skills = listing.skillsFor(viewer).map((skill) => listing.skillEntry(skill, persona));
      const seen = catalogue.lookAt(principal, viewer.personas);
      const tasks = listing.taskEntries(listing.tasksFor(viewer), viewer, seen);
      const jobs = await listing.jobEntries(listing.jobsFor(viewer), viewer, seen);
      return summarizeRegistry(revision, persona, tools, { skills, tasks, jobs });
    },
    async skills(asked = {}, { principal = defaultPrincipal, waitMs } = {}) {
      requireScope(principal, "read", "look at skills");
      const query: SkillQuery = { ...everyTool, ...asked };
      const viewer = viewerOf(principal, query.personas);
      const { items, ...page } = querySkills(listing.skillsFor(viewer), query);
      const needed = [...new Set(items.flatMap(toolsOfSkill))];
      const patience = waitMs === undefined ? {} : { waitMs };
      const missing = await missingFrom(needed, principal, viewer, patience);
      const listed = items.map((skill) => ({
        ...listing.skillEntry(skill, askedFor(viewer)),
        missing_tools: toolsOfSkill(skill).filter((name) => missing.has(name)),
      }));
      return { ...page, skills: listed };
    },
    async skill(name, { personas = [], ...caller } = {}) {
      const { skills } = await verbs.skills({ personas }, caller);
      const found = skills.find((skill) => skill.name === name);
      if (found === undefined)
        throw noWork("skill", name, {
          ...{ seen: skills, problems: parts.problems() },
          principal: caller.principal ?? defaultPrincipal,
        });
      return found;
    },
  };
  return verbs;
}

type Skill = FromFile<SkillManifest>;

/** Those of the skills that are meant, one page of them. They come and go in the order of their places. */
export function querySkills(skills: readonly Skill[], query: SkillQuery): Page<Skill> {
  const words = (query.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const capabilities = query.capabilities.map((tag) => tag.toLowerCase());
  const matching = skills.filter(
    (skill) => isPartOf(capabilities, tagsOf(skill)) && words.every((word) => textOf(skill).includes(word)),
  );
  return takePage(matching, workPlace, query);
}

function isPartOf(wanted: readonly string[], there: readonly string[]): boolean {
  return wanted.every((tag) => there.includes(tag));
}

function tagsOf({ required_capabilities, capability_tags }: Skill): string[] {
  return [...required_capabilities, ...capability_tags].map((tag) => tag.toLowerCase());
}

function textOf({ name, summary = "", category = "", ...skill }: Skill): string {
  return [name, summary, category, skill.instruction_prompt, ...skill.capability_tags].join("\n").toLowerCase();
}

function summarizeRegistry(
  revision: number,
  persona: string | null,
  listed: readonly ToolListing[],
  work: Pick<RegistrySummary, "skills" | "tasks" | "jobs">,
): RegistrySummary {
  const tools = listed.map((tool) => toEntry(tool, persona));
  const specific = tools.filter(({ compatibility }) => compatibility.persona_specific).length;
  return {
    revision,
    persona,
    compatibility: { persona, shared: tools.length - specific, persona_specific: specific },
    tools,
    ...work,
  };
}

function toEntry({ name, persona, metadata, providers, health }: ToolListing, asked: string | null): ToolEntry {
  const { providers: ofProviders, last_invocation, persona: ofPersona, recent: _, ...measured } = health;
  return {
    name,
    persona,
    version: metadata.version,
    capabilities: metadata.capabilities,
    capability_tags: metadata.capabilities.map((tag) => tag.toLowerCase()),
    compatibility: compatibilityOf(persona, metadata.persona_allowlist ?? null, asked),
    health: {
      tool: measured,
      providers: ofProviders,
      last_invocation,
      ...(ofPersona === undefined ? {} : { persona: ofPersona }),
    },
    providers,
  };
}
