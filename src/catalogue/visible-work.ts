import { createPersonaFilter } from "./persona-filter.ts";

type Owned = { name: string; persona?: string | undefined };

/** Who looks: as which persona, and at whose things. */
export type Viewer = { persona: string | null; personas: readonly string[] };

/**
 * The skills, tasks or jobs that somebody sees, by name and owner. A persona sees its own in the place of a shared one;
 * somebody who is none may look at those of any.
 */
export function visibleWork<T extends Owned>(all: readonly T[], { persona, personas }: Viewer): T[] {
  const filter = createPersonaFilter(personas);
  const isTheirs = (owner: string) =>
    persona === null ? personas.length > 0 && filter.names(owner) : isSame(owner, persona);
  const seen = all.filter((one) => one.persona === undefined || isTheirs(one.persona));
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

/** Those of the jobs that the persona, or one of those who are asked for, works at. */
export function jobsFor<T extends { personas: readonly string[] }>(
  jobs: readonly T[],
  { persona, personas }: Viewer,
): T[] {
  const { names } = createPersonaFilter(personas);
  if (persona === null && personas.length === 0) return [...jobs];
  const isMeant = (one: string) => (persona === null ? names(one) : isSame(one, persona));
  return jobs.filter((job) => job.personas.some(isMeant));
}

/** However it is written: a job for 'atlas' is done with what 'Atlas' has of its own. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Where it stands in a listing. */
export function workPlace({ name, persona }: { name: string; persona?: string | null | undefined }): string {
  return persona === undefined || persona === null ? name : `${name}\0${persona}`;
}
