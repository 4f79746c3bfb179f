import { withoutShared } from "../model/catalogue/exclusion-words.ts";
import type { Tool } from "../model/catalogue/tool.ts";

export type PersonaFilter = ReturnType<typeof createPersonaFilter>;

/** Shared entries match unless a word of `withoutShared` excludes them; that word alone asks for all personas. */
export function createPersonaFilter(requested: readonly string[]) {
  const lowerCase = requested.map((name) => name.toLowerCase());
  const excludesShared = lowerCase.some((name) => withoutShared.includes(name));
  const personaNames = new Set(lowerCase.filter((name) => !withoutShared.includes(name)));
  const personas = requested.filter((name) => personaNames.has(name.toLowerCase()));
  const names = (persona: string) =>
    personaNames.size === 0 ? excludesShared : personaNames.has(persona.toLowerCase());
  const accepts = (persona: string | null) => {
    if (requested.length === 0) return true;
    return persona === null ? !excludesShared : names(persona);
  };
  // `named` counts the personas that were asked for; `only` is the one if there is exactly one.
  const only = personaNames.size === 1 ? (personas[0] ?? null) : null;
  return { accepts, names, named: personaNames.size, only, personas };
}

/** The tools that a caller without persona sees as the personas it asks for. */
export function seenThrough(
  filter: PersonaFilter,
  tools: readonly Tool[],
  mayUse: (persona: string | null, tool: Tool) => boolean,
): Tool[] {
  const visible = tools.filter((tool) =>
    personasOf(tool, filter).some((persona) => mayUse(persona, tool)),
  );
  const ownTools = visible.filter(({ persona }) => persona !== null);
  const ownToolsByName = Map.groupBy(ownTools, ({ name }) => name);
  // A shared tool stays as long as one of them does not replace it.
  return visible.filter(({ name, persona }) => {
    if (persona !== null) return true;
    const replacements = ownToolsByName.get(name)?.length ?? 0;
    return replacements === 0 || replacements < filter.named;
  });
}

function personasOf({ persona, metadata }: Tool, filter: PersonaFilter): (string | null)[] {
  // A shared tool may ask for flags that only a persona has.
  if (persona === null && metadata.persona_allowlist === undefined)
    return [null, ...filter.personas];
  const possible = [persona, ...(metadata.persona_allowlist ?? [])].filter((name) => name !== null);
  return possible.filter(filter.names);
}
