import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { FoundTool, SearchAnswer } from "../../model/catalogue/search.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { withPlane } from "./with-plane.ts";

type SearchOptions = { and?: string[]; regex?: boolean; server?: string; limit?: number };

export async function searchTools(cli: Cli, query: string, options: GlobalOptions & SearchOptions): Promise<void> {
  const { and = [], regex, server, limit } = options;
  const what = and.length === 0 ? { query } : { queries: [query, ...and] };
  const request = { ...what, ...withoutUndefined({ regex, server, limit }) };
  const answer = await withPlane(cli, options, (plane) => plane.search(request));
  if (options.json) return printJson(answer);
  printAnswer(answer);
}

export async function recommendTools(
  cli: Cli,
  task: string,
  options: GlobalOptions & { limit?: number },
): Promise<void> {
  const { limit } = options;
  const found = await withPlane(cli, options, (plane) => plane.recommend(task, withoutUndefined({ limit })));
  if (options.json) return printJson(found);
  if (found.tools.length === 0) return print("Nothing here fits the task.");
  const servers = found.servers.map(({ name, score, tools }) => [renderScore(score), name, String(tools)]);
  if (servers.length > 0) print(`${renderTable(["SCORE", "SERVER", "TOOLS"], servers)}\n`);
  print(renderTools(found.tools));
}

function printAnswer({ tools, total, truncated, next, note }: SearchAnswer): void {
  if (tools.length > 0) print(renderTools(tools));
  else print("No tool was found.");
  if (truncated) say(colors.dim(`${tools.length} of ${total} that match.`));
  if (next.length > 0) say(colors.dim(`Next: ${plainText(next.join(", "))}`));
  if (note !== undefined) say(`${colors.yellow("note:")} ${plainText(note)}`);
}

function renderTools(tools: readonly FoundTool[]): string {
  const rows = tools.map((tool) => [
    renderScore(tool.score),
    tool.name,
    tool.required.join(", ") || "-",
    [tool.summary, ...remarksOn(tool)].join(" "),
  ]);
  return renderTable(["SCORE", "TOOL", "NEEDS", "SUMMARY"], rows);
}

function remarksOn({ alsoOn = [], differsBy = [] }: FoundTool): string[] {
  return [
    ...(alsoOn.length > 0 ? [`(also on ${alsoOn.join(", ")})`] : []),
    ...(differsBy.length > 0 ? [`(this one: ${differsBy.join(", ")})`] : []),
  ];
}

const barWidth = 5;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A small bar and the number beside it. */
export function renderScore(score: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, score)) * barWidth * 8);
  const bar = `${"█".repeat(Math.floor(parts / 8))}${eighths[parts % 8]}`;
  return `${bar.padEnd(barWidth, "·")} ${score.toFixed(2)}`;
}
