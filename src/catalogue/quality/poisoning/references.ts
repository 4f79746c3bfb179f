import type { Finding } from "../../../model/quality.ts";
import type { ToolId } from "../../../model/tool.ts";
import { spellings } from "../../../model/tool-name.ts";
import { excerptOf } from "./make-visible.ts";
import { textsOf } from "./texts-of.ts";

/** Which servers have a tool of this name, for names that mean nothing else. */
export type NamedTools = ReadonlyMap<string, readonly string[]>;

const shortest = 8;
const orders = /\b(?:before|instead|must|always|never|first|rather|replaces?|do not|don't)\b/i;

export function indexNames(ids: readonly ToolId[]): NamedTools {
  const index = new Map<string, string[]>();
  for (const { server, tool } of ids) {
    if (server === null) continue;
    for (const name of [tool, ...spellings({ server, tool })]) {
      if (!isTelling(name)) continue;
      const servers = index.get(name);
      if (!servers) index.set(name, [server]);
      else if (!servers.includes(server)) servers.push(server);
    }
  }
  return index;
}

/** A word of a language is nobody's name. */
function isTelling(name: string): boolean {
  return name.length >= shortest && /[_.-]|[a-z][A-Z]/.test(name);
}

const looked = new WeakMap<object, { names: NamedTools; found: readonly Finding[] }>();

/** Tools of other servers that a description speaks of, worse where it says what to do with them. */
export function findReferences(definition: object, server: string, names: NamedTools): readonly Finding[] {
  const before = looked.get(definition);
  if (before?.names === names) return before.found;
  const found = names.size === 0 ? [] : lookForNames(definition, server, names);
  looked.set(definition, { names, found });
  return found;
}

function lookForNames(definition: object, server: string, names: NamedTools): Finding[] {
  const found: Finding[] = [];
  for (const { where, text } of textsOf(definition)) {
    if (!where.endsWith("/description") || text.length > 100_000) continue;
    for (const { 0: word, index } of text.matchAll(/[A-Za-z][A-Za-z0-9_.-]*/g)) {
      const name = word.replace(/[.-]+$/, "");
      const servers = names.get(name);
      if (!servers || servers.includes(server)) continue;
      const excerpt = excerptOf(text, index, index + name.length);
      const severity = orders.test(excerpt) ? "medium" : "low";
      found.push({
        kind: "cross_reference",
        severity,
        where,
        excerpt,
        decoded: `${name} of ${servers.join(", ")}`,
      });
      break;
    }
  }
  return found;
}
