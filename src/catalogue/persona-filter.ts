import { withoutShared } from "../model/catalogue/exclusion-words.ts";
import type { Tool } from "../model/catalogue/tool.ts";

export type PersonaFilter = ReturnType<typeof createPersonaFilter>;

/** Shared entries match unless a word of `withoutShared` excludes them; that word alone asks for all personas. */
export function createPersonaFilter(asked: readonly string[]) {
  const words = asked.map((word) => word.toLowerCase());
  const leavesOutShared = words.some((word) => withoutShared.includes(word));
  const wanted = new Set(words.filter((word) => !withoutShared.includes(word)));
  const names = (persona: string) =>
    wanted.size === 0 ? leavesOutShared : wanted.has(persona.toLowerCase());
  const accepts = (persona: string | null) =>
    persona === null ? !leavesOutShared : names(persona);
  const only =
    wanted.size === 1 ? (asked.find((word) => wanted.has(word.toLowerCase())) ?? null) : null;
  // `named` counts the personas that were asked for; `only` is the one if there is exactly one.
  const personas = asked.filter((word) => wanted.has(word.toLowerCase()));
  const acceptsAll = () => true;
  const all = asked.length === 0;
  return { accepts: all ? acceptsAll : accepts, names, named: wanted.size, only, personas };
}

/** The tools that a caller without persona sees as the personas it asks for. */
export function seenThrough(
  filter: PersonaFilter,
  tools: readonly Tool[],
  mayUse: (persona: string | null, tool: Tool) => boolean,
): Tool[] {
  const seen = tools.filter((tool) =>
    personasOf(tool, filter).some((persona) => mayUse(persona, tool)),
  );
  const own = seen.filter(({ persona }) => persona !== null);
  const owners = Map.groupBy(own, ({ name }) => name);
  // A shared tool stays as long as one of them does not replace it.
  return seen.filter(({ name, persona }) => {
    const replaced = persona === null ? (owners.get(name)?.length ?? 0) : 0;
    return replaced === 0 || replaced < filter.named;
  });
}

function personasOf({ persona, metadata }: Tool, filter: PersonaFilter): (string | null)[] {
  // A shared tool may ask for flags that only a persona has.
  if (persona === null && metadata.persona_allowlist === undefined)
    return [null, ...filter.personas];
  const possible = [persona, ...(metadata.persona_allowlist ?? [])].filter((name) => name !== null);
  return possible.filter(filter.names);
}
