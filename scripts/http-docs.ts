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

function renderTable(): string {
  const rows = operations.flatMap(({ name, http, scope, summary }) =>
    isMissing(http)
      ? []
      : [`| \`${http.method.toUpperCase()} ${http.path}\` | ${scope ?? "–"} | \`${name}\` | ${summary} |`],
  );
  return ["| route | scope | operation | |", "| --- | --- | --- | --- |", ...rows.sort(), ""].join("\n");
}
