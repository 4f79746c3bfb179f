import { isMissing } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";

const start = "<!-- Generated from src/operations by npm run docs. -->\n";
const end = "<!-- /generated -->\n";

/** `docs/http.md` with the table of all operations; what people wrote around it stays. */
export function renderHttpDocs(page: string): string {
  const [before = "", rest = ""] = page.split(start);
  const after = rest.split(end)[1] ?? "";
  return `${before}${start}\n${renderTable()}\n${end}${after}`;
}

/** By the scope that they need: a reader with a key looks for what it may do. */
function renderTable(): string {
  const rows = operations.flatMap(({ name, http, scope, summary }) =>
    isMissing(http)
      ? []
      : [{ scope, row: `- \`${http.method.toUpperCase()} ${http.path}\` \`${name}\`: ${summary}` }],
  );
  const byScope = Map.groupBy(rows, ({ scope }) => scope ?? "none");
  return ["none", "read", "call", "admin"]
    .flatMap((scope) => {
      const own = byScope.get(scope as "read") ?? [];
      return own.length === 0
        ? []
        : [`### Scope: ${scope}`, "", ...own.map(({ row }) => row).sort(byPath), ""];
    })
    .join("\n");
}

const pathOf = (row: string) => row.split(" ")[2] ?? "";
const byPath = (one: string, other: string) => (pathOf(one) < pathOf(other) ? -1 : 1);
