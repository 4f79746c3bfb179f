import type { ParsedSearch } from "../../../src/model/catalogue/search.ts";
import type { FoundSkill } from "../../../src/model/catalogue/search-schema.ts";
import type { ServerSkill } from "../../../src/model/catalogue/skill-entry.ts";
import { summarizeDescription } from "./answer.ts";
import type { Findable } from "./fields.ts";
import type { createSearch } from "./tool-search.ts";

/** A skill is long to read, so only what is likely meant is shown. */
const maxFound = 3;
const leastScore = 0.25;

/** Skills have an index of their own: their texts would change which words are rare among tools. */
export function createSkillSearch(search: ReturnType<typeof createSearch>) {
  const made = new WeakMap<ServerSkill, Findable>();
  const skillOf = new WeakMap<Findable, ServerSkill>();
  let last: { of: readonly ServerSkill[]; findable: readonly Findable[] } | undefined;

  function toFindable(skill: ServerSkill): Findable {
    const known = made.get(skill);
    if (known) return known;
    const { server, uri, frontmatter } = skill;
    const one: Findable = {
      id: { server, tool: frontmatter.name },
      name: `${server}\n${uri}`,
      modelName: `${server}\n${uri}`,
      title: frontmatter.name.replaceAll("-", " "),
      description: frontmatter.description,
      parameters: {},
      persona: null,
      metadata: { capabilities: [] },
    };
    made.set(skill, one);
    skillOf.set(one, skill);
    return one;
  }

  return async (
    asked: ParsedSearch,
    skills: readonly ServerSkill[],
    options: { summaryLimit: number },
  ): Promise<FoundSkill[]> => {
    const queries = asked.queries.filter((query) => query !== "" && !query.startsWith("select:"));
    if (skills.length === 0 || queries.length === 0 || asked.isPattern) return [];
    const isSame =
      last?.of.length === skills.length && skills.every((skill, at) => last?.of[at] === skill);
    if (!last || !isSame) last = { of: skills, findable: skills.map(toFindable) };
    const { findable } = last;
    await search.updateSoon(findable, noText);
    const found = new Map<ServerSkill, number>();
    for (const query of queries)
      for (const { tool, score } of search.rank(
        query,
        findable,
        maxFound,
        asked.server === null ? {} : { server: asked.server },
      )) {
        const skill = skillOf.get(tool);
        if (skill && score >= leastScore) found.set(skill, Math.max(score, found.get(skill) ?? 0));
      }
    const best = [...found].sort(([, one], [, other]) => other - one).slice(0, maxFound);
    return best.map(([{ server, uri, frontmatter }, score]) => ({
      name: frontmatter.name,
      server,
      uri,
      summary: summarizeDescription(frontmatter.description, options.summaryLimit),
      score: Number(Math.min(1, score).toFixed(3)),
    }));
  };
}

const noText = () => "";
