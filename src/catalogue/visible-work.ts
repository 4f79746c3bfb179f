import { nearest } from "../lib/text/nearest.ts";
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
  all: readonly T[],
  { persona, personas }: WorkViewer,
): T[] {
  const filter = createPersonaFilter(personas);
  const isOwn = (owner: string) =>
    persona === null ? personas.length > 0 && filter.names(owner) : isSame(owner, persona);
  const seen = all.filter((one) => one.persona === undefined || isOwn(one.persona));
  const own = Map.groupBy(
    seen.filter((one) => one.persona !== undefined),
    ({ name }) => name,
  );
  const viewers = persona === null ? filter.named : 1;
  const isReplaced = ({ name, persona: owner }: Owned) => {
    const owners = own.get(name)?.length ?? 0;
    return owner === undefined && owners > 0 && owners >= viewers;
  };
  return seen
    .filter((one) => !isReplaced(one) && filter.accepts(one.persona ?? null))
    .sort((a, b) => (workPlace(a) < workPlace(b) ? -1 : 1));
}

/** The jobs that the viewer's persona, or one of those it asks for, works on. */
export function jobsFor<T extends { personas: readonly string[] }>(
  jobs: readonly T[],
  { persona, personas }: WorkViewer,
): T[] {
  const { names } = createPersonaFilter(personas);
  if (persona === null && personas.length === 0) return [...jobs];
  const isMeant = (one: string) => (persona === null ? names(one) : isSame(one, persona));
  return jobs.filter((job) => job.personas.some(isMeant));
}

/** Personas are compared without case: a job for 'atlas' uses what 'Atlas' owns. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function workPlace({
  name,
  persona,
}: {
  name: string;
  persona?: string | null | undefined;
}): string {
  return persona === undefined || persona === null ? name : `${name}\0${persona}`;
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
  const known = seen.map((one) => one.name);
  const near = nearest(name, known);
  const data = { [kind]: name, nearest: near };
  const broken = problems.find(
    ({ severity, entry, owner }) =>
      severity === "error" &&
      entry?.kind === kind &&
      entry.name === name &&
      (owner === null || owner === principal.persona),
  );
  if (broken !== undefined) {
    const { path, message: wrong, hint } = broken;
    const why = `${path.split(".").at(-1)}: ${wrong}.${hint === null ? "" : ` ${hint}`}`;
    const what = kind[0]?.toUpperCase() + kind.slice(1);
    const message = `${what} '${name}' cannot be used. ${why} 'toolplane config validate' shows where.`;
    return new PlaneError("NOT_FOUND", message, { data });
  }
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`
      : `'toolplane ${kind}s list' shows what there is.`;
  return new PlaneError("NOT_FOUND", `No ${kind} '${name}'. ${hint}`, { data });
}
