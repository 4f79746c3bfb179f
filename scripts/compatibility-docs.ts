import { readFileSync } from "node:fs";
import { join } from "node:path";

const systems = [
  [
    "Atlas UI",
    "seed-000",
    "tools that know the other tools, approvals with edits, hooks, groups and compliance levels",
  ],
  [
    "ATLAS",
    "seed-001",
    "manifests, personas, provider routing, rolling health, skills, tasks and jobs",
  ],
  [
    "attocode",
    "seed-002",
    "many servers, lazy loading, search, quality scores, plan mode, dead letters",
  ],
  ["TrustGraph", "seed-003", "arguments of remote tools, groups and states, ReACT agents"],
  [
    "DataDesigner",
    "seed-004",
    "tool configurations for models that generate, budgets, pools, traces",
  ],
] as const;

/** The first row of each topic. */
const topics = new Map([
  [1, "Configuration and names"],
  [20, "Protocol and connections"],
  [42, "Discovery, caches, pools"],
  [57, "Manifests and catalogue"],
  [82, "Providers and health"],
  [93, "Arguments and injection"],
  [113, "Access"],
  [126, "Approvals and plan mode"],
  [148, "Hooks"],
  [154, "Execution"],
  [168, "Results"],
  [177, "Lazy loading, search, quality"],
  [196, "Agents"],
  [216, "Requests of servers"],
  [225, "Traces, events, records"],
  [234, "Credentials"],
  [240, "Faces"],
  [253, "Planner"],
  [257, "Skills, tasks, jobs"],
  [262, "Workbench"],
]);

/** `systems` are the places of those that have it in the list of systems. */
export type Compared = {
  row: number;
  compares: string;
  systems: string;
  says: string;
  test: string;
  title: string;
};

/** What five systems do, and the test that shows what Toolplane does: one line each. */
export function readCompared(): Compared[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, "compatibility.tsv"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => {
    const [row = "", compares = "", of = "", says = "", test = "", title = ""] = line.split("\t");
    return { row: Number(row), compares, systems: of, says, test, title };
  });
}

/** docs/compatibility.md: what people who know one of these systems have to know. */
export function renderCompatibilityDocs(): string {
  const all = readCompared();
  const differing = all.filter(({ compares }) => /differs|partly/.test(compares));
  return `# Differences from five systems

Toolplane unites what five systems do in part: ${systems.map(([name, story]) => `[${name}](../examples/${story}/README.md)`).join(", ")}. It reads a configuration of each
as it is. Each name above leads to a story that runs its documents.

These are the decisions where Toolplane does something else. [The report](../${reportPath}) has all ${all.length} rows, each with the test that shows it.
\`npm run docs\` writes both.

${differing.map(({ says, systems: of }) => `- **${namesOf(of)}.** ${says}`).join("\n")}
`;
}

export const reportPath = "generated/compatibility.md";

/** Every row with its test, for those who check the claim. */
export function renderCompatibilityReport(): string {
  const all = readCompared();
  return `# Five systems, row by row

${all.length} rows from \`scripts/compatibility.tsv\`: **same** is what the systems do, **more** goes beyond it or mends what did not work there,
**differs** is a decision, **partly** names what is missing. Each row links to its test; a test checks that the link is true.

| system | known for | rows | same | more | differs or partly |
| --- | --- | --- | --- | --- | --- |
${systems
  .map((system, at) =>
    renderCount(
      system,
      all.filter(({ systems: of }) => of.includes(String(at))),
    ),
  )
  .join("\n")}

| row | systems | | Toolplane | test |
| --- | --- | --- | --- | --- |
${all.map(renderRow).join("\n")}
`;
}

function renderCount([name, , about]: (typeof systems)[number], rows: readonly Compared[]): string {
  const count = (kinds: RegExp) => rows.filter(({ compares }) => kinds.test(compares)).length;
  return `| ${name} | ${about} | ${rows.length} | ${count(/same/)} | ${count(/more/)} | ${count(/differs|partly/)} |`;
}

const namesOf = (of: string) =>
  of.length === systems.length ? "All" : [...of].map((at) => systems[Number(at)]?.[0]).join(", ");

function renderRow({ row, compares, systems: of, says, test, title }: Compared): string {
  const topic = topics.get(row);
  const heading = topic === undefined ? "" : `| | | | **${topic}** | |\n`;
  return `${heading}| ${row} | ${namesOf(of)} | ${compares} | ${says} | [${title}](../${test}) |`;
}
