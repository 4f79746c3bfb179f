import { countOf } from "../../lib/text/wording.ts";
import type { ToolQuality } from "../../model/catalogue/quality.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

/** The tools that are meant, each with its score and what it lost points for. */
export async function listQuality(cli: Cli, options: GlobalOptions & ToolFilters): Promise<void> {
  const query = readFilters(options);
  const { page, report } = await withPlane(cli, options, async (plane) => ({
    page: await plane.tools.page(query),
    report: await plane.tools.quality(query.server === null ? {} : { server: query.server }),
  }));
  const scored = new Map(report.tools.map((tool) => [tool.name, tool]));
  const { total, nextCursor } = page;
  if (options.json) {
    const tools = page.tools.map((tool) => ({ ...tool, quality: qualityOf(scored.get(tool.name)) }));
    return printJson({ tools, total, nextCursor });
  }
  const rows = page.tools.map(({ name }) => [name, ...cellsOf(scored.get(name))]);
  print(rows.length === 0 ? "No tool matches." : renderTable(["TOOL", "SCORE", "ISSUES"], rows));
  if (nextCursor !== null)
    say(`${rows.length} of ${countOf(total, "tool")}; the next ones with --cursor ${nextCursor}`);
}

function qualityOf(tool: ToolQuality | undefined) {
  if (!tool) return null;
  const { score, passed, checks, findings } = tool;
  return { score, passed, checks, findings };
}

function cellsOf(tool: ToolQuality | undefined): [score: string, issues: string] {
  if (!tool) return ["", ""];
  const issues = [...tool.checks.map(({ check }) => check), ...tool.findings.map(({ kind }) => kind)];
  return [`${tool.score}${tool.passed ? "" : " ✖"}`, [...new Set(issues)].join(", ") || "none"];
}
