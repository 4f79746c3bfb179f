import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { namesUnder } from "../../../lib/text/fill-references.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { SkillListing } from "../../../model/catalogue/registry-summary.ts";
import { errorTable, PlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject } from "../../../model/json.ts";
import { toolsOfSkill } from "../../../model/work/skill.ts";
import type { SkillRun } from "../../../model/work/skill-run.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors, print, printError, printJson, renderTable, say, sayMore, show } from "../terminal/output.ts";
import { canBeAsked } from "../terminal/questions.ts";
import { withPlane } from "../with-plane.ts";
import { readCallArguments } from "./call-arguments.ts";
import { readFilters, type ToolFilters } from "./option-values.ts";

type SkillFilters = Pick<ToolFilters, "personaFilter" | "capability" | "query" | "limit" | "cursor">;

export async function listSkills(cli: Cli, options: GlobalOptions & SkillFilters): Promise<void> {
  const { personaFilter = [], capability = [], query = [], limit = [], cursor = [] } = options;
  const { personas, capabilities, q, ...page } = readFilters({
    personaFilter,
    capability,
    query,
    limit,
    cursor,
  });
  const asked = { personas, capabilities, q, limit: page.limit, cursor: page.cursor };
  const { skills, total, nextCursor } = await withPlane(cli, options, (plane) => plane.skills.page(asked));
  if (options.json) return printJson({ skills, total, nextCursor });
  if (skills.length === 0) return print("No skills found.");
  const rows = skills.map((skill) => [
    skill.name,
    skill.version,
    skill.persona ?? "shared",
    skill.missing_tools.join(", ") || "-",
    skill.summary ?? firstLine(skill.instruction_prompt),
  ]);
  print(renderTable(["SKILL", "VERSION", "PERSONA", "MISSING TOOLS", "SUMMARY"], rows));
  sayMore(nextCursor, `${skills.length} of ${countOf(total, "skill")}`);
}

export async function showSkill(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const skill = await withPlane(cli, options, (plane) => plane.skills.get(name));
  show(options, { skills: [skill] }, () => renderSkill(skill));
}

function renderSkill(skill: SkillListing): string {
  const facts: [label: string, value: string][] = [
    ["persona", skill.persona ?? "shared"],
    ["version", skill.version],
    ["category", skill.category ?? "-"],
    ["tools", toolsOfSkill(skill).join(", ") || "none"],
    ["input", skill.required_input.join(", ") || "none"],
    ["missing", skill.missing_tools.join(", ") || "none"],
    ["capabilities", skill.required_capabilities.join(", ") || "none"],
    ["tags", skill.capability_tags.join(", ") || "none"],
    ...renderCollaboration(skill),
    ["source", skill.source],
  ];
  return [
    colors.bold(plainText(skill.name)),
    ...(skill.summary === null ? [] : [plainText(skill.summary)]),
    "",
    colors.bold("Instructions"),
    plainText(skill.instruction_prompt),
    ...(skill.safety_notes === "" ? [] : ["", colors.bold("Safety"), plainText(skill.safety_notes)]),
    "",
    ...facts.map(([label, value]) => `${colors.dim(label.padEnd(13))} ${plainText(value)}`),
    ...renderSteps(skill),
  ].join("\n");
}

function renderCollaboration({ collaboration }: SkillListing): [label: string, value: string][] {
  if (collaboration?.enabled !== true) return [];
  const { protocol, participants, quorum } = collaboration;
  const names = participants.map(({ id }) => id).join(", ");
  return [["together", `${protocol} with ${names}; ${Math.round(quorum * 100)} % are enough`]];
}

function renderSteps({ steps = [] }: SkillListing): string[] {
  if (steps.length === 0) return [];
  const lines = steps.map(({ id, tool, depends_on, arguments: args, when = "" }) => {
    const before = new Set([...depends_on, ...namesUnder("steps", [args, when])]);
    const after = before.size === 0 ? "" : ` (after ${[...before].join(", ")})`;
    return `  ${plainText(`${id}: ${tool}${after}`)}`;
  });
  return ["", colors.bold("Steps"), ...lines];
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

type SkillRunOptions = GlobalOptions & {
  args?: string;
  yes?: boolean;
  dryRun?: boolean;
  model?: string;
  conversation?: string;
};

export async function runSkill(cli: Cli, name: string, values: string[], options: SkillRunOptions): Promise<number> {
  const input = await readInput(options.args, values);
  const { yes, dryRun, model, conversation } = options;
  const run = await withPlane(cli, options, async (plane, signal) =>
    plane.skills.run(name, input, {
      ...{ face: "cli", signal },
      ...(yes ? { consent: true } : {}),
      ...(dryRun ? { dryRun: true } : {}),
      ...withoutUndefined({ model, conversation }),
      ...(await askingFor(options)),
    }),
  );
  if (options.json) printJson(run);
  else printSkillRun(run);
  return run.error === null ? 0 : errorTable[run.error.code].exit;
}

/** `--args` first, then `key=value` pairs on top. */
export async function readInput(args: string | undefined, values: readonly string[]): Promise<JsonObject> {
  const given = await readCallArguments(args, values);
  if (isObject(given)) return given as JsonObject;
  throw new PlaneError("USAGE", "--args must be a JSON object: the input by its names.");
}

async function askingFor({ json }: SkillRunOptions) {
  if (json || !canBeAsked()) return {};
  return { askHere: (await import("../terminal/approval-prompt.ts")).askAtTerminal() };
}

/** The result goes to standard output; how it came about to standard error. */
function printSkillRun({ steps, result, error, outcome }: SkillRun): void {
  const rows = steps.map((step) => [
    step.id,
    step.tool ?? "a model",
    step.state,
    step.durationMs === null ? "-" : `${Math.round(step.durationMs)} ms`,
    step.error?.code ?? "",
  ]);
  const table = renderTable(["STEP", "TOOL", "STATE", "TIME", "ERROR"], rows);
  if (outcome === "planned") return print(rows.length > 0 ? table : "A model follows the instructions.");
  if (rows.length > 0) say(table);
  if (error !== null) return printError(error);
  if (result !== null) print(typeof result === "string" ? plainText(result) : JSON.stringify(result, null, 2));
}
