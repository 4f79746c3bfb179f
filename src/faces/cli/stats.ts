import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { ContextCost, ContextStats } from "../../model/catalogue/quality.ts";
import type { ClientContext } from "../../model/client-context.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson, renderTable, say } from "./output.ts";
import { terminal } from "./terminal.ts";
import { withPlane } from "./with-plane.ts";

type StatsOptions = GlobalOptions & { server?: string; tools: boolean; limit?: number };

const barWidth = 24;
const maxNamed = 3;

export async function showStats(cli: Cli, options: StatsOptions): Promise<void> {
  const { server, tools, limit } = options;
  const asked = { tools, ...withoutUndefined({ server, limit }) };
  const stats = await withPlane(cli, options, (plane) => plane.stats(asked));
  if (options.json) return printJson(stats);
  if (stats.totals.tools === 0) return print("The catalogue is empty. 'toolplane servers list' shows why.");
  print(renderStats(stats, terminal.stdout.isTTY === true));
  say(colors.dim(`Tokens by ${stats.tokenizer}.`));
}

export function renderStats(stats: ContextStats, withBars: boolean): string {
  const { servers, totals, tools = [], lazy, sessions = [] } = stats;
  const dearest = (rows: readonly ContextCost[]) => Math.max(...rows.map(({ fullTokens }) => fullTokens));
  const bar = (cost: ContextCost, most: number) => (withBars ? [renderBar(cost.fullTokens / most)] : []);
  // Nothing is saved where clients get every definition whole.
  const lazyColumns = lazy.isActive ? ["LOADED", "SAVED"] : ["IF LAZY", "WOULD SAVE"];
  const head = ["FULL", "SUMMARY", ...lazyColumns, ...(withBars ? [""] : [])];
  const lines = [
    renderTable(
      ["SERVER", "TOOLS", ...head],
      [
        ...servers.map((server) => [
          server.name,
          String(server.tools),
          ...numbers(server),
          ...bar(server, dearest(servers)),
        ]),
        ["all", String(totals.tools), ...numbers(totals), ...(withBars ? [""] : [])],
      ],
    ),
    "",
  ];
  if (tools.length > 0) {
    const rows = tools.map((tool) => [tool.name, ...numbers(tool), ...bar(tool, dearest(tools))]);
    lines.push(renderTable(["TOOL", ...head], rows), "");
  }
  lines.push(renderLazy(lazy, totals.fullTokens));
  if (sessions.length > 0) lines.push("", renderSessions(sessions, totals.fullTokens));
  return lines.join("\n");
}

/** What each client that is connected has in its context now. */
function renderSessions(sessions: readonly ClientContext[], full: number): string {
  const rows = sessions.map(({ client, user, era, mode, tools, loaded, loadedTokens }) => [
    plainText(client ?? "-"),
    user ?? "-",
    era,
    mode,
    String(tools),
    String(loadedTokens),
    full === 0 ? "-" : `${Math.max(0, Math.round((1 - loadedTokens / full) * 1_000) / 10)} %`,
    loaded.length === 0 ? "-" : shorten(loaded),
  ]);
  return renderTable(["CLIENT", "USER", "ERA", "MODE", "TOOLS", "TOKENS", "SAVED", "LOADED"], rows);
}

function shorten(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function numbers({ fullTokens, summaryTokens, loadedTokens, savedPercent }: ContextCost): string[] {
  return [...[fullTokens, summaryTokens, loadedTokens].map(String), `${savedPercent} %`];
}

function renderBar(share: number): string {
  return "█".repeat(Math.max(1, Math.round(share * barWidth)));
}

function renderLazy({ mode, thresholdTokens, isActive }: ContextStats["lazy"], full: number): string {
  if (mode !== "auto")
    return `Definitions are ${isActive ? "loaded when they are needed" : "given whole"}: 'lazy.mode' is '${mode}'.`;
  const relation = isActive ? "above" : "not above";
  const what = isActive ? "loaded when they are needed" : "given whole";
  return `Definitions are ${what}: ${full} tokens are ${relation} 'lazy.thresholdTokens', ${thresholdTokens}.`;
}
