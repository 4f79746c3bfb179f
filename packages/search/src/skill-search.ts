import type { ParsedSearch } from "@toolplane/core/model/catalogue/search";
import type { FoundSkill } from "@toolplane/core/model/catalogue/search-schema";
import type { ServerSkill } from "@toolplane/core/model/catalogue/skill-entry";
import { summarizeDescription } from "./answer.ts";
import type { Findable } from "./fields.ts";
import type { createSearch } from "./tool-search.ts";

/** A skill is long to read, so only what is likely meant is shown. */
const maxFound = 3;
const minScore = 0.25;

/** Skills have an index of their own: their texts would change which words are rare among tools. */
export function createSkillSearch(search: ReturnType<typeof createSearch>) {
  const findables = new WeakMap<ServerSkill, Findable>();
  const skillOf = new WeakMap<Findable, ServerSkill>();
  let last: { skills: readonly ServerSkill[]; findable: readonly Findable[] } | undefined;

  function toFindable(skill: ServerSkill): Findable {
    const knownFindable = findables.get(skill);
    if (knownFindable) return knownFindable;
    const { server, uri, frontmatter } = skill;
    const findable: Findable = {
      id: { server, tool: frontmatter.name },
      name: `${server}\n${uri}`,
      modelName: `${server}\n${uri}`,
      title: frontmatter.name.replaceAll("-", " "),
      description: frontmatter.description,
      parameters: {},
      persona: null,
      metadata: { capabilities: [] },
    };
    findables.set(skill, findable);
    skillOf.set(findable, skill);
    return findable;
  }

  return async (
    parsedSearch: ParsedSearch,
    skills: readonly ServerSkill[],
    options: { summaryLimit: number },
  ): Promise<FoundSkill[]> => {
    const queries = parsedSearch.queries.filter(
      (query) => query !== "" && !query.startsWith("select:"),
    );
    if (skills.length === 0 || queries.length === 0 || parsedSearch.isPattern) return [];
    const isSame =
      last?.skills.length === skills.length &&
      skills.every((skill, index) => last?.skills[index] === skill);
    if (!last || !isSame) last = { skills, findable: skills.map(toFindable) };
    const { findable } = last;
    await search.updateSoon(findable, noText);
    const scores = new Map<ServerSkill, number>();
    for (const query of queries)
      for (const { tool, score } of search.rank(query, findable, maxFound, {
        server: parsedSearch.server,
      })) {
        const skill = skillOf.get(tool);
        if (skill && score >= minScore) scores.set(skill, Math.max(score, scores.get(skill) ?? 0));
      }
    const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, maxFound);
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
