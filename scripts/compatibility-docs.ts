import { readFileSync } from "node:fs";
import { join } from "node:path";

const systems = [
  [
    "Atlas UI",
    "seed-000",
    "tools that know the other tools, approvals with edits, hooks, groups and compliance levels",
  ],
  ["ATLAS", "seed-001", "manifests, personas, provider routing, rolling health, skills, tasks and jobs"],
  ["attocode", "seed-002", "many servers, lazy loading, search, quality scores, plan mode, dead letters"],
  ["TrustGraph", "seed-003", "arguments of remote tools, groups and states, ReACT agents"],
  ["DataDesigner", "seed-004", "tool configurations for models that generate, budgets, pools, traces"],
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
export type Compared = { row: number; compares: string; systems: string; says: string; test: string; title: string };

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

/** docs/compatibility.md: per system what is the same, what differs and why, each with its test. */
export function renderCompatibilityDocs(): string {
  const all = readCompared();
  return `# Compatibility

Toolplane unites what five systems do in part. A configuration of each is read as it is, and each has a story under \`examples/\` that runs its
document from top to bottom. This page compares them in ${all.length} rows: **same** is what they do, **more** goes beyond it or mends what did not work there,
**differs** says what is different and why, **partly** what is missing. Each row links to the test that shows it.

Generated from \`scripts/compatibility.tsv\` by \`npm run docs\`; a test checks that each named test exists.

${systems
  .map((system, at) =>
    renderSystem(
      system,
      all.filter(({ systems: of }) => of.includes(String(at))),
    ),
  )
  .join("\n")}
## All rows

| row | systems | | Toolplane | test |
| --- | --- | --- | --- | --- |
${all.map(renderRow).join("\n")}
`;
}

function renderSystem([name, story, about]: (typeof systems)[number], rows: readonly Compared[]): string {
  const count = (kind: string) => rows.filter(({ compares }) => compares === kind).length;
  const differing = rows.filter(({ compares }) => /differs|partly/.test(compares));
  return `## ${name}

Known for ${about}. Its story: [${story}](../examples/${story}/README.md). Of its ${rows.length} rows ${count("same")} are the same and ${count("more")} go
further. What differs or is missing:

${differing.map(({ row, says, test, title }) => `- ${says} ([${row}](${linkTo(test)} "${title}"))`).join("\n")}
`;
}

const linkTo = (test: string) => `../${test}`;

function renderRow({ row, compares, systems: of, says, test, title }: Compared): string {
  const names = of.length === systems.length ? "all" : [...of].map((at) => systems[Number(at)]?.[0]).join(", ");
  const topic = topics.get(row);
  const heading = topic === undefined ? "" : `| | | | **${topic}** | |\n`;
  return `${heading}| ${row} | ${names} | ${compares} | ${says} | [${title}](${linkTo(test)}) |`;
}
