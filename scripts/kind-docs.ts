import { providerKinds } from "../src/model/calls/provider-kinds.ts";
import { transports } from "../src/model/servers/transports.ts";

const start = "<!-- Generated from the kinds in src/model by npm run docs. -->\n";
const end = "<!-- /generated -->\n";

/** docs/tools.md: what people wrote, and the table of providers. */
export function renderProviderDocs(page: string): string {
  const rows = Object.entries(providerKinds).flatMap(([kind, { document }]) =>
    document === null ? [] : `| \`${kind}\` | ${document.executes} | ${document.config} |`,
  );
  const table = [
    "| provider | executes | config |",
    "| --- | --- | --- |",
    ...rows,
    "| yours | whatever you add with `registerProvider` | whatever it reads |",
  ];
  return withGenerated(page, table);
}

/** docs/servers.md: what people wrote, and what each transport is chosen by. */
export function renderTransportDocs(page: string): string {
  const rows = Object.values(transports).flatMap(({ document }) =>
    document === null ? [] : `- ${document.entry}: ${document.opens}`,
  );
  return withGenerated(page, rows);
}

function withGenerated(page: string, lines: readonly string[]): string {
  const [before, after] = [page.indexOf(start), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`The page has no place for: ${lines[0]}`);
  return `${page.slice(0, before)}${start}\n${lines.join("\n")}\n\n${page.slice(after)}`;
}
