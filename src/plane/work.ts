import { nearest } from "../lib/nearest.ts";
import { PlaneError } from "../model/errors.ts";
import { jobSubject } from "../model/health.ts";
import type { JobManifest } from "../model/job.ts";
import type { Manifests } from "../model/manifests.ts";
import type { Plane } from "../model/plane.ts";
import { type Principal, requireScope } from "../model/principal.ts";
import type { SkillListing, SkillQuery } from "../model/registry-summary.ts";
import { toolsOfSkill } from "../model/skill.ts";
import type { Tool } from "../model/tool.ts";
import { toolKey } from "../model/tool-name.ts";
import { everyTool } from "../model/tool-query.ts";
import type { Health } from "../registry/health.ts";
import { createPersonaFilter } from "../registry/persona-filter.ts";
import { querySkills } from "../registry/query-skills.ts";
import type { Snapshot } from "../registry/registry.ts";
import { summarizeRegistry } from "../registry/summarize-registry.ts";
import { jobsFor, type Viewer, visibleWork } from "../registry/visible-work.ts";
import type { KnownWork } from "../registry/work-capabilities.ts";
import { toJobEntry, toSkillEntry, toTaskEntry } from "../registry/work-entries.ts";
import type { Catalogue } from "./catalogue.ts";

type Parts = {
  manifests(): Manifests;
  snapshot(): Snapshot;
  catalogue: Pick<Catalogue, "queryTools" | "lookAt">;
  health(): Promise<Pick<Health, "summary">>;
};

type WorkVerbs = Pick<Plane, "registrySummary" | "skills" | "skill" | "jobs" | "tasks">;
type Patience = { patienceMs?: number };

/** Skills, tasks and jobs as manifests describe them, and the registry in short. */
export function createWorkVerbs(parts: Parts, everybody: Principal): WorkVerbs {
  const { manifests, snapshot, catalogue } = parts;

  const knownTo = (tools: readonly Tool[]): KnownWork => {
    const { skills, tasks } = manifests();
    const byKey = Map.groupBy(tools, ({ id }) => toolKey(id));
    const { index } = snapshot();
    const toolsNamed = (name: string) =>
      idsOf(index.find(name)).flatMap((id) => byKey.get(toolKey(id)) ?? []);
    return { skills, tasks, toolsNamed };
  };
  const listJobs = async (viewer: Viewer, tools: readonly Tool[]) => {
    const { summary } = await parts.health();
    const facts = { known: knownTo(tools), healthOf: (job: JobManifest) => summary(jobSubject(job)) };
    const seen = jobsFor(visibleWork(manifests().jobs, viewer), viewer);
    return seen.map((job) => toJobEntry(job, askedFor(viewer), facts));
  };
  const listTasks = (viewer: Viewer, tools: readonly Tool[]) => {
    const known = knownTo(tools);
    return visibleWork(manifests().tasks, viewer).map((task) => toTaskEntry(task, askedFor(viewer), known));
  };

  /** Servers are asked only where a tool that is needed is not known yet. */
  const missingFrom = async (
    needed: readonly string[],
    principal: Principal,
    viewer: Viewer,
    patience: Patience,
  ) => {
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
    async registrySummary({ persona: asked, principal = everybody, ...patience } = {}) {
      const persona = asked ?? principal.persona;
      const viewer = viewerOf(principal, persona === null ? [] : [persona]);
      const { tools } = await catalogue.queryTools(
        { personas: [...viewer.personas] },
        { principal, ...patience },
      );
      const { revision } = snapshot();
      const skills = visibleWork(manifests().skills, viewer).map((skill) => toSkillEntry(skill, persona));
      const seen = catalogue.lookAt(principal, viewer.personas);
      const [tasks, jobs] = [listTasks(viewer, seen), await listJobs(viewer, seen)];
      return summarizeRegistry(revision, persona, tools, { skills, tasks, jobs });
    },
    async skills(asked = {}, { principal = everybody, patienceMs } = {}) {
      requireScope(principal, "read", "look at skills");
      const query: SkillQuery = { ...everyTool, ...asked };
      const viewer = viewerOf(principal, query.personas);
      const { items, ...page } = querySkills(visibleWork(manifests().skills, viewer), query);
      const needed = [...new Set(items.flatMap(toolsOfSkill))];
      const patience = patienceMs === undefined ? {} : { patienceMs };
      const missing = await missingFrom(needed, principal, viewer, patience);
      const listed = items.map((skill) => ({
        ...toSkillEntry(skill, askedFor(viewer)),
        missing_tools: toolsOfSkill(skill).filter((name) => missing.has(name)),
      }));
      return { ...page, skills: listed };
    },
    async skill(name, { personas = [], ...caller } = {}) {
      const { skills } = await verbs.skills({ personas }, caller);
      return skills.find((skill) => skill.name === name) ?? refuse(name, skills);
    },
    async jobs({ principal = everybody, personas = [] } = {}) {
      const viewer = viewerOf(principal, personas);
      await catalogue.queryTools({ personas, limit: 1 }, { principal });
      return listJobs(viewer, catalogue.lookAt(principal, personas));
    },
    async tasks({ principal = everybody, personas = [] } = {}) {
      requireScope(principal, "read", "look at tasks");
      await catalogue.queryTools({ personas, limit: 1 }, { principal });
      return listTasks(viewerOf(principal, personas), catalogue.lookAt(principal, personas));
    },
  };
  return verbs;
}

function viewerOf({ persona }: Principal, personas: readonly string[]): Viewer {
  return { persona, personas };
}

/** The one persona that looks, or whose things are looked at. */
function askedFor({ persona, personas }: Viewer): string | null {
  return persona ?? createPersonaFilter(personas).only;
}

function idsOf(match: ReturnType<Snapshot["index"]["find"]>) {
  return match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
}

function refuse(name: string, skills: readonly SkillListing[]): never {
  const near = nearest(
    name,
    skills.map((skill) => skill.name),
  );
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`
      : "'toolplane skills list' shows what there is.";
  throw new PlaneError("NOT_FOUND", `No skill '${name}'. ${hint}`, { data: { skill: name, nearest: near } });
}
