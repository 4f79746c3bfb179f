import { limited } from "../lib/async/limited.ts";
import { errorText } from "../lib/text/error-text.ts";
import { plainText } from "../lib/text/plain-text.ts";
import type { Finding } from "../model/catalogue/quality-schema.ts";
import type { FoundTool } from "../model/catalogue/search-schema.ts";
import type { RankTools, ScanDefinition } from "../model/extensions/extension.ts";
import { listOrEmpty, type UnknownObject } from "../model/json.ts";
import type { Owned } from "./additions.ts";

const severities: readonly unknown[] = ["low", "medium", "high"];
const maxExcerpt = 200;
/** A person or a model waits for the search. */
const rankMs = 2_000;

/** A scanner that fails has judged nothing, so its definition is suspicious. */
export function scanWith(
  scanners: ReadonlySet<Owned<ScanDefinition>>,
  entry: UnknownObject,
): Finding[] {
  return [...scanners].flatMap(({ extension, value: scan }) => {
    const finding = (severity: Finding["severity"], excerpt: string): Finding => ({
      kind: "extension",
      severity,
      where: "",
      excerpt: plainText(excerpt).slice(0, maxExcerpt),
      decoded: `found by the extension '${extension}'`,
    });
    try {
      // A severity that is not known counts as the highest: the scanner did find something.
      return scan(entry).map(({ severity, excerpt }) =>
        finding(severities.includes(severity) ? severity : "high", String(excerpt)),
      );
    } catch (thrown) {
      return [finding("high", `it could not be scanned: ${errorText(thrown)}`)];
    }
  });
}

/** The order stays as it was where the extension fails or takes too long. */
export async function inOrderOf(
  rank: RankTools,
  query: string,
  tools: readonly FoundTool[],
): Promise<FoundTool[]> {
  const candidates = tools.map(({ name, summary }) => ({ name, description: summary }));
  const ranked: unknown = await limited(() => rank(query, candidates), rankMs).catch(() => []);
  const names = listOrEmpty(ranked).map(String);
  const rankOf = new Map(names.map((name, index) => [name, index]));
  const lastRank = names.length;
  return [...tools].sort(
    (a, b) => (rankOf.get(a.name) ?? lastRank) - (rankOf.get(b.name) ?? lastRank),
  );
}
