import { namesUnder } from "../../lib/text/fill-references.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { SkillListing } from "../../model/catalogue/registry-summary.ts";
import { toolsOfSkill } from "../../model/work/skill.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

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
  if (nextCursor !== null)
    say(`${skills.length} of ${countOf(total, "skill")}; the next ones with --cursor ${nextCursor}`);
}

export async function showSkill(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const skill = await withPlane(cli, options, (plane) => plane.skills.get(name));
  if (options.json) printJson({ skills: [skill] });
  else print(renderSkill(skill));
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
