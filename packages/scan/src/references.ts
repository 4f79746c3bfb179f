import type { Finding } from "@toolplane/core/model/catalogue/quality-schema";
import type { ToolId } from "@toolplane/core/model/catalogue/tool";
import { spellings } from "@toolplane/core/model/catalogue/tool-name";
import type { NamedTools } from "@toolplane/core/model/packages";
import { collectTexts, excerptOf } from "./texts.ts";

const minLength = 8;
const maxText = 100_000;
const orderWords = /\b(?:before|instead|must|always|never|first|rather|replaces?|do not|don't)\b/i;

export function indexNames(ids: readonly ToolId[]): NamedTools {
  const index = new Map<string, string[]>();
  for (const { server, tool } of ids) {
    if (server === null) continue;
    for (const name of [tool, ...spellings({ server, tool })]) {
      if (!isDistinctive(name)) continue;
      const servers = index.get(name);
      if (!servers) index.set(name, [server]);
      else if (!servers.includes(server)) servers.push(server);
    }
  }
  return index;
}

/** An everyday word is no reference to a tool. */
function isDistinctive(name: string): boolean {
  return name.length >= minLength && /[_.-]|[a-z][A-Z]/.test(name);
}

const scanned = new WeakMap<object, { names: NamedTools; findings: readonly Finding[] }>();

/** Mentions of other servers' tools in a description, worse if it gives orders about them. */
export function findToolReferences(
  definition: object,
  server: string,
  names: NamedTools,
): readonly Finding[] {
  const previous = scanned.get(definition);
  if (previous?.names === names) return previous.findings;
  const findings = names.size === 0 ? [] : findNames(definition, server, names);
  scanned.set(definition, { names, findings });
  return findings;
}

function findNames(definition: object, server: string, names: NamedTools): Finding[] {
  const findings: Finding[] = [];
  for (const { where, text } of collectTexts(definition)) {
    if (!where.endsWith("/description") || text.length > maxText) continue;
    for (const { 0: mention, index } of text.matchAll(/[A-Za-z][A-Za-z0-9_.-]*/g)) {
      const name = mention.replace(/(?<![.-])[.-]+$/, "");
      const servers = names.get(name);
      if (!servers || servers.includes(server)) continue;
      const excerpt = excerptOf(text, index, index + name.length);
      const severity = orderWords.test(excerpt) ? "medium" : "low";
      findings.push({
        kind: "cross_reference",
        severity,
        where,
        excerpt,
        decoded: `${name} of ${servers.join(", ")}`,
      });
      break;
    }
  }
  return findings;
}
