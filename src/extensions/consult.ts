import { isWithin } from "../lib/async/pause.ts";
import { plainText } from "../lib/text/plain-text.ts";
import type { Finding } from "../model/catalogue/quality-schema.ts";
import type { FoundTool } from "../model/catalogue/search-schema.ts";
import type { RankTools, ScanDefinition } from "../model/extensions/extension.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Owned } from "./additions.ts";

const maxExcerpt = 200;
/** A person or a model waits for the search. */
const rankMs = 2_000;

/** A scanner that fails has judged nothing, so its definition is suspicious. */
export function scanWith(scanners: ReadonlySet<Owned<ScanDefinition>>, entry: UnknownObject): Finding[] {
  return [...scanners].flatMap(({ extension, value: scan }) => {
    const finding = (severity: Finding["severity"], excerpt: string): Finding => ({
      kind: "extension",
      severity,
      where: "",
      excerpt: plainText(excerpt).slice(0, maxExcerpt),
      decoded: `found by the extension '${extension}'`,
    });
    try {
      return scan(entry).map(({ severity, excerpt }) => finding(severity, excerpt));
    } catch (thrown) {
      return [finding("high", `it could not be scanned: ${thrown instanceof Error ? thrown.message : thrown}`)];
    }
  });
}

/** The order stays as it was where the extension fails or takes too long. */
export async function inOrderOf(rank: RankTools, query: string, found: readonly FoundTool[]): Promise<FoundTool[]> {
  const shown = found.map(({ name, summary }) => ({ name, description: summary }));
  const ranked = Promise.resolve(shown).then((tools) => rank(query, tools));
  const names = (await isWithin(
    ranked.catch(() => undefined),
    rankMs,
  ))
    ? await ranked.catch(() => [])
    : [];
  const place = new Map(names.map((name, at) => [name, at]));
  const last = names.length;
  return [...found].sort((a, b) => (place.get(a.name) ?? last) - (place.get(b.name) ?? last));
}
