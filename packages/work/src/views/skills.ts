import {
  askingHere,
  type Cli,
  colors,
  command,
  joinLines,
  pickOptions,
  print,
  printError,
  printJson,
  printPage,
  printStatus,
  readFilters,
  readInput,
  renderFacts,
  renderValue,
  type TextOptions,
  type ToolFilters,
  table,
  withPlane,
} from "@toolplane/core/faces/cli/views";
import { namesUnder } from "@toolplane/core/lib/text/fill-references";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { countOf } from "@toolplane/core/lib/text/wording";
import type { SkillListing } from "@toolplane/core/model/catalogue/registry-summary";
import {
  type ServerSkill,
  type SkillShelf,
  skillRoot,
} from "@toolplane/core/model/catalogue/skill-entry";
import { errorTable } from "@toolplane/core/model/errors";
import type { SkillRun } from "@toolplane/core/model/work/run-schema";
import { toolsOfSkill } from "@toolplane/core/model/work/skill";

/** Both kinds: those of manifests are run, those of servers and folders are read. */
export const listSkills = command(
  async (plane, options: ToolFilters) => {
    const filters = pickOptions(options, "personaFilter", "capability", "query", "limit", "cursor");
    const { personas, capabilities, q, limit, cursor } = readFilters(filters);
    const page = await plane.skills.page({ personas, capabilities, q, limit, cursor });
    // They have neither personas nor capabilities.
    const isAll = personas.length === 0 && capabilities.length === 0 && (cursor ?? "") === "";
    if (!isAll) return { ...page, published: [], leftOut: [] };
    const { skills, leftOut } = await plane.skills.published({ waitMs: listWaitMs });
    return { ...page, published: skills.filter(hasWords(q)), leftOut };
  },
  ({ skills, total, nextCursor, published, leftOut }) => {
    if (published.length > 0) print(colors.bold("Skills of manifests, which are run"));
    const rows = table(skills, "No skills found.", {
      SKILL: ({ name }) => name,
      VERSION: ({ version }) => version,
      PERSONA: ({ persona }) => persona ?? "shared",
      "MISSING TOOLS": ({ missing_tools }) => missing_tools.join(", ") || "-",
      SUMMARY: ({ summary, instruction_prompt }) => summary ?? instruction_prompt.split("\n", 1)[0],
    });
    printPage(rows, nextCursor, `${skills.length} of ${countOf(total, "skill")}`);
    if (published.length > 0)
      print(`\n${colors.bold("Skills of servers and folders, which models read")}`);
    if (published.length > 0) print(renderPublished(published));
    printLeftOut(leftOut);
  },
  ({ skills, total, nextCursor, published }) => ({
    skills,
    total,
    nextCursor,
    published: published.map(({ server, uri, frontmatter }) => ({
      name: frontmatter.name,
      server,
      uri,
    })),
  }),
);

export const listPublished = command(
  async (plane, { server, query }: TextOptions<"server" | "query">) => {
    const serverFilter = server === undefined ? {} : { servers: [server] };
    const { skills, leftOut } = await plane.skills.published({
      waitMs: listWaitMs,
      ...serverFilter,
    });
    return { skills: skills.filter(hasWords(query)), leftOut };
  },
  ({ skills, leftOut }) => {
    print(renderPublished(skills));
    printLeftOut(leftOut);
  },
  ({ skills, leftOut }) => ({ skills, leftOut }),
);

function hasWords(query: string | null = null): (skill: ServerSkill) => boolean {
  const queryWords = (query ?? "").toLowerCase().split(/\s+/);
  return ({ frontmatter: { name, description } }) =>
    queryWords.every((queryWord) => `${name} ${description}`.toLowerCase().includes(queryWord));
}

/** A server that has not answered by then is there the next time. */
const listWaitMs = 5_000;

function renderPublished(skills: readonly ServerSkill[]): string {
  const alike = Map.groupBy(skills, ({ server, frontmatter }) => `${server}\n${frontmatter.name}`);
  return table(skills, "No skills of servers or folders found.", {
    // Two of one server may have the same name in different directories.
    SKILL({ server, uri, frontmatter: { name } }) {
      if (alike.get(`${server}\n${name}`)?.length === 1) return name;
      return skillRoot(uri).replace(/^[^:]*:\/\//, "");
    },
    SERVER: ({ server }) => server,
    FILES: ({ resources }) => (Array.isArray(resources) ? resources.length : "-"),
    DESCRIPTION: ({ frontmatter }) => frontmatter.description,
  });
}

function printLeftOut(leftOut: SkillShelf["leftOut"]): void {
  for (const { server, uri, why } of leftOut)
    printStatus(
      `${colors.yellow("left out:")} ${plainText(`${uri || "all skills"} of '${server}': ${why}`)}`,
    );
}

export const showSkill = command(
  (plane, name: string) => plane.skills.get(name),
  renderSkill,
  (skill) => ({ skills: [skill] }),
);

function renderSkill(skill: SkillListing): string {
  const { summary, safety_notes: safety, steps = [] } = skill;
  return joinLines(
    colors.bold(plainText(skill.name)),
    summary !== null && plainText(summary),
    "",
    colors.bold("Instructions"),
    plainText(skill.instruction_prompt),
    safety !== "" && ["", colors.bold("Safety"), plainText(safety)],
    "",
    renderFacts(13, [
      ["persona", skill.persona ?? "shared"],
      ["version", skill.version],
      ["category", skill.category ?? "-"],
      ["tools", toolsOfSkill(skill).join(", ") || "none"],
      ["input", skill.required_input.join(", ") || "none"],
      ["missing", skill.missing_tools.join(", ") || "none"],
      ["capabilities", skill.required_capabilities.join(", ") || "none"],
      ["tags", skill.capability_tags.join(", ") || "none"],
      ["together", renderCollaboration(skill)],
      ["source", skill.source],
    ]),
    steps.length > 0 && ["", colors.bold("Steps"), ...steps.map(renderStep)],
  );
}

function renderCollaboration({ collaboration }: SkillListing): string | null {
  if (collaboration?.enabled !== true) return null;
  const { protocol, participants, quorum } = collaboration;
  return `${protocol} with ${participants.map(({ id }) => id).join(", ")}; ${Math.round(quorum * 100)} % are enough`;
}

function renderStep({
  id,
  tool,
  depends_on,
  arguments: args,
  when = "",
}: NonNullable<SkillListing["steps"]>[number]) {
  const stepsBefore = new Set([...depends_on, ...namesUnder("steps", [args, when])]);
  const orderNote = stepsBefore.size === 0 ? "" : ` (after ${[...stepsBefore].join(", ")})`;
  return `  ${plainText(`${id}: ${tool}${orderNote}`)}`;
}

type SkillRunOptions = TextOptions<"args" | "model" | "conversation"> & {
  yes?: boolean;
  dryRun?: boolean;
};

export async function runSkill(
  cli: Cli,
  name: string,
  values: string[],
  options: SkillRunOptions,
): Promise<number> {
  const input = await readInput(options.args, values);
  const runOptions = {
    ...pickOptions(options, "model", "conversation", "dryRun"),
    ...(options.yes && { consent: true }),
    ...(await askingHere(options)),
  };
  const run = await withPlane(cli, options, (plane, signal) =>
    plane.skills.run(name, input, { face: "cli", signal, ...runOptions }),
  );
  if (options.json) printJson(run);
  else printSkillRun(run);
  return run.error === null ? 0 : errorTable[run.error.code].exit;
}

/** The result goes to standard output; how it came about to standard error. */
function printSkillRun({ steps, result, error, outcome }: SkillRun): void {
  const rows = table(steps, "", {
    STEP: ({ id }) => id,
    TOOL: ({ tool }) => tool ?? "a model",
    STATE: ({ state }) => state,
    TIME: ({ durationMs }) => (durationMs === null ? "-" : `${Math.round(durationMs)} ms`),
    ERROR: ({ error: failed }) => failed?.code ?? "",
  });
  if (outcome === "planned") return print(rows || "A model follows the instructions.");
  if (rows !== "") printStatus(rows);
  if (error !== null) return printError(error);
  if (result !== null) print(renderValue(result));
}
