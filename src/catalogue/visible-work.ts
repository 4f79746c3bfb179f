import { didYouMean, nearest } from "../lib/text/nearest.ts";
import type { ConfigProblem } from "../model/config/config.ts";
import { PlaneError } from "../model/errors.ts";
import type { Principal } from "../model/principal.ts";
import { createPersonaFilter } from "./persona-filter.ts";

type Owned = { name: string; persona?: string | undefined };

/** The persona that looks, and the personas whose entries it asks for. */
export type WorkViewer = { persona: string | null; personas: readonly string[] };

/**
 * The skills, tasks or jobs that a viewer sees, by name and owner. A persona sees its own in the place of a shared one;
 * a viewer without persona may look at those of any.
 */
export function visibleWork<T extends Owned>(
  entries: readonly T[],
  { persona, personas }: WorkViewer,
): T[] {
  const filter = createPersonaFilter(personas);
  const isOwn = (owner: string) =>
    persona === null ? personas.length > 0 && filter.names(owner) : sameName(owner, persona);
  const visible = entries.filter((entry) => entry.persona === undefined || isOwn(entry.persona));
  const ownEntries = Map.groupBy(
    visible.filter((entry) => entry.persona !== undefined),
    ({ name }) => name,
  );
  const viewers = persona === null ? filter.named : 1;
  const isReplaced = ({ name, persona: owner }: Owned) => {
    const owners = ownEntries.get(name)?.length ?? 0;
    return owner === undefined && owners > 0 && owners >= viewers;
  };
  return visible
    .filter((entry) => !isReplaced(entry) && filter.accepts(entry.persona ?? null))
    .sort((a, b) => (workKey(a) < workKey(b) ? -1 : 1));
}

/** The jobs that the viewer's persona, or one of those it asks for, works on. */
export function jobsFor<T extends { personas: readonly string[] }>(
  jobs: readonly T[],
  { persona, personas }: WorkViewer,
): T[] {
  const { names } = createPersonaFilter(personas);
  if (persona === null && personas.length === 0) return [...jobs];
  const isViewed = (name: string) => (persona === null ? names(name) : sameName(name, persona));
  return jobs.filter((job) => job.personas.some(isViewed));
}

/** Personas are compared without case: a job for 'atlas' uses what 'Atlas' owns. */
function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function workKey({
  name,
  persona,
}: {
  name: string;
  persona?: string | null | undefined;
}): string {
  if (persona === undefined || persona === null) return name;
  return `${name}\0${persona}`;
}

type WorkSeen = {
  seen: readonly { name: string }[];
  problems: readonly ConfigProblem[];
  principal: Principal;
};

/** Tells a missing skill, task or job from one whose manifest has an error. */
export function workNotFound(
  kind: "skill" | "task" | "job",
  name: string,
  { seen, problems, principal }: WorkSeen,
): PlaneError {
  const names = seen.map((entry) => entry.name);
  const near = nearest(name, names);
  const data = { [kind]: name, nearest: near };
  const problem = problems.find(
    ({ severity, entry, owner }) =>
      severity === "error" &&
      entry?.kind === kind &&
      entry.name === name &&
      (owner === null || owner === principal.persona),
  );
  if (problem !== undefined) {
    const { path, message: wrong, hint } = problem;
    const why = `${path.split(".").at(-1)}: ${wrong}.${hint === null ? "" : ` ${hint}`}`;
    const title = kind[0]?.toUpperCase() + kind.slice(1);
    const message = `${title} '${name}' cannot be used. ${why} 'toolplane config validate' shows where.`;
    return new PlaneError("NOT_FOUND", message, { data });
  }
  const hint = didYouMean(near, `'toolplane ${kind}s list' shows what there is.`);
  return new PlaneError("NOT_FOUND", `No ${kind} '${name}'. ${hint}`, { data });
}
