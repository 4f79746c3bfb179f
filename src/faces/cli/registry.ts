import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, renderTable } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export async function showSummary(cli: Cli, options: GlobalOptions): Promise<void> {
  const asked = options.persona === undefined ? {} : { persona: options.persona };
  const summary = await withPlane(cli, options, (plane) => plane.registry.summary(asked));
  if (options.json) return printJson(summary);
  const { revision, persona, compatibility, tools, skills, tasks, jobs } = summary;
  const whom = persona === null ? "everybody" : `persona '${persona}'`;
  print(
    `Revision ${revision}, for ${whom}: ${compatibility.shared} shared tools, ${compatibility.persona_specific} of a persona.`,
  );
  print(`Skills: ${namesOf(skills)}. Tasks: ${namesOf(tasks)}. Jobs: ${namesOf(jobs)}.`);
  if (tools.length === 0) return;
  const rows = tools.map((tool) => [
    tool.name,
    tool.version,
    tool.persona ?? "shared",
    Object.keys(tool.health.providers).join(", "),
    renderRate(tool.health.tool),
  ]);
  print(renderTable(["TOOL", "VERSION", "PERSONA", "PROVIDERS", "SUCCEEDED"], rows));
}

function namesOf(entries: readonly { name: string }[]): string {
  return entries.map(({ name }) => name).join(", ") || "none";
}

function renderRate({ total, success_rate }: { total: number; success_rate: number }): string {
  return total === 0 ? "not called yet" : `${Math.round(success_rate * 100)} % of ${total}`;
}
