import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { PinDiff } from "../../../model/catalogue/change-schema.ts";
import type { FailOn } from "../../../model/catalogue/quality.ts";
import type {
  ClientContext,
  ContextCost,
  ContextStats,
  Finding,
  QualityReport,
  ToolQuality,
  ToolReview,
} from "../../../model/catalogue/quality-schema.ts";
import { qualityOperations } from "../../../operations/declared/quality.ts";
import {
  colors,
  joinLines,
  print,
  printPage,
  printStatus,
  renderMoment,
  renderTable,
  table,
} from "../terminal/output.ts";
import { terminal } from "../terminal/terminal.ts";
import { viewsOf } from "../view.ts";
import { command } from "../with-plane.ts";
import { readFilters, type ToolFilters } from "./option-values.ts";

const view = viewsOf(qualityOperations);

/** 1 when a tool does not pass. */
export const lintTools = view("tools.quality", {
  text: renderReport,
  exitCode: ({ passed, total }) => (passed === total ? 0 : 1),
});

function renderReport({ tools, total, passed, threshold, failOn }: QualityReport): string {
  const shown = tools.filter(({ checks, findings }) => checks.length > 0 || findings.length > 0);
  const flawless = total - shown.length;
  const risk =
    failOn === "none" ? "" : `, not quarantined, nothing found that is ${atLeast(failOn)}`;
  return joinLines(
    shown.flatMap((tool) => [...renderTool(tool), ""]),
    flawless > 0 && shown.length > 0 && `${flawless} without a flaw.`,
    `${passed}/${total} passed: a score of at least ${threshold}${risk}.`,
  );
}

function atLeast(level: Exclude<FailOn, "none">): string {
  return level === "high" ? "high" : `${level} or worse`;
}

function renderTool(tool: ToolQuality): string[] {
  const { name, score, passed, checks, findings } = tool;
  const color = passed ? colors.green : colors.red;
  const heldNote = tool.held === null ? "" : colors.red("  quarantined");
  return [
    `${color(String(score).padStart(3))}  ${colors.bold(plainText(name))}${heldNote}`,
    ...checks.map(({ penalty, message, fix }) =>
      plainText(`     ${`−${penalty}`.padStart(4)}  ${message} ${fix}`),
    ),
    ...findings.map((finding) => `      ${colors.yellow("!")}    ${renderFinding(finding)}`),
  ];
}

/** The tools that are meant, each with its score and what it lost points for. */
export const listQuality = command(
  async (plane, options: ToolFilters) => {
    const query = readFilters(options);
    const { tools, total, nextCursor } = await plane.tools.page(query);
    const report = await plane.tools.quality(query.server === null ? {} : { server: query.server });
    const scored = new Map(report.tools.map((tool) => [tool.name, tool]));
    return {
      tools: tools.map((tool) => ({ ...tool, quality: qualityOf(scored.get(tool.name)) })),
      total,
      nextCursor,
    };
  },
  ({ tools, total, nextCursor }) => {
    const rows = table(tools, "No tool matches.", {
      TOOL: ({ name }) => name,
      SCORE: ({ quality }) => (quality ? `${quality.score}${quality.passed ? "" : " ✖"}` : ""),
      ISSUES: ({ quality }) => (quality ? issuesOf(quality) : ""),
    });
    printPage(rows, nextCursor, `${tools.length} of ${countOf(total, "tool")}`);
  },
);

function qualityOf(tool: ToolQuality | undefined) {
  if (!tool) return null;
  const { score, passed, checks, findings } = tool;
  return { score, passed, checks, findings };
}

function issuesOf({ checks, findings }: Pick<ToolQuality, "checks" | "findings">): string {
  const issues = [...checks.map(({ check }) => check), ...findings.map(({ kind }) => kind)];
  return [...new Set(issues)].join(", ") || "none";
}

const meanings: Record<Finding["kind"], string> = {
  hidden_text: "text in invisible characters",
  invisible_characters: "invisible characters",
  direction_controls: "characters that change the direction of writing",
  lookalike_letters: "letters of another script that look like Latin ones",
  escape_sequence: "control sequences for a terminal",
  instruction: "an order to the model",
  concealment: "something to be kept from the user",
  secret_request: "a request for secrets",
  pseudo_tag: "a tag that pretends to be a prompt",
  encoded_text: "encoded text",
  cross_reference: "a tool of another server",
  overlong: "a very long text",
  hidden_comment: "a comment that no reader sees",
  padding: "empty space before more text",
  disguised_text: "an order in disguise",
  exfiltration: "data to be sent elsewhere",
  extension: "what an extension looks for",
};

export function renderFinding({ kind, severity, where, excerpt, decoded }: Finding): string {
  const decodedText = decoded === null ? "" : ` → ${JSON.stringify(decoded)}`;
  return plainText(
    `${severity}: ${meanings[kind]} at ${where}: ${JSON.stringify(excerpt)}${decodedText}`,
  );
}

/** A short form for lists; empty without findings. */
export function renderReviewNote(review: ToolReview | undefined): string {
  if (!review) return "";
  if (review.heldFor === "disabled") return "(disabled) ";
  const serious = review.findings.filter(({ severity }) => severity !== "low");
  const notes = [...new Set(serious.map(({ kind }) => meanings[kind]))];
  if (review.change !== null)
    notes.unshift(review.change === "new" ? "new" : "changed since it was pinned");
  if (notes.length === 0) return "";
  return `(look at it: ${notes.join(", ")}) `;
}

const barWidth = 24;
const maxNamed = 3;

export const showStats = view("stats", {
  text(stats) {
    if (stats.totals.tools === 0)
      return "The catalogue is empty. 'toolplane servers list' shows why.";
    print(renderStats(stats, terminal.stdout.isTTY === true));
    printStatus(colors.dim(`Tokens by ${stats.tokenizer}.`));
    return null;
  },
});

export function renderStats(stats: ContextStats, withBars: boolean): string {
  const { servers, totals, tools = [], lazy, sessions = [] } = stats;
  const highest = (rows: readonly ContextCost[]) =>
    Math.max(...rows.map(({ fullTokens }) => fullTokens));
  const bar = (cost: ContextCost, most: number) =>
    withBars ? [renderBar(cost.fullTokens / most)] : [];
  const noBar = withBars ? [""] : [];
  // Nothing is saved where clients get every definition whole.
  const lazyColumns = lazy.isActive ? ["LOADED", "SAVED"] : ["IF LAZY", "WOULD SAVE"];
  const head = ["FULL", "SUMMARY", ...lazyColumns, ...noBar];
  const serverRow = (name: string, cost: ContextCost & { tools: number }, last: string[]) => [
    name,
    String(cost.tools),
    ...numbers(cost),
    ...last,
  ];
  const rows = servers.map((server) =>
    serverRow(server.name, server, bar(server, highest(servers))),
  );
  const totalRow = serverRow("all", totals, noBar);
  const lines = [renderTable(["SERVER", "TOOLS", ...head], [...rows, totalRow]), ""];
  if (tools.length > 0) {
    const rows = tools.map((tool) => [tool.name, ...numbers(tool), ...bar(tool, highest(tools))]);
    lines.push(renderTable(["TOOL", ...head], rows), "");
  }
  lines.push(renderLazy(lazy, totals.fullTokens));
  if (sessions.length > 0) lines.push("", renderSessions(sessions, totals.fullTokens));
  return lines.join("\n");
}

function renderSessions(sessions: readonly ClientContext[], full: number): string {
  const savedShare = (tokens: number) => Math.max(0, Math.round((1 - tokens / full) * 1_000) / 10);
  return table(sessions, "", {
    CLIENT: ({ client }) => client,
    USER: ({ user }) => user,
    ERA: ({ era }) => era,
    MODE: ({ mode }) => mode,
    TOOLS: ({ tools }) => tools,
    TOKENS: ({ loadedTokens }) => loadedTokens,
    SAVED: ({ loadedTokens }) => (full === 0 ? "-" : `${savedShare(loadedTokens)} %`),
    LOADED: ({ loaded }) => shorten(loaded) || "-",
  });
}

function shorten(names: readonly string[]): string {
  const unnamed = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${unnamed > 0 ? ` and ${unnamed} more` : ""}`;
}

function numbers({ fullTokens, summaryTokens, loadedTokens, savedPercent }: ContextCost): string[] {
  return [...[fullTokens, summaryTokens, loadedTokens].map(String), `${savedPercent} %`];
}

function renderBar(share: number): string {
  return "█".repeat(Math.max(1, Math.round(share * barWidth)));
}

function renderLazy(
  { mode, thresholdTokens, isActive }: ContextStats["lazy"],
  full: number,
): string {
  if (mode === "code")
    return "Clients find tools with search_tools and call them in programs: 'lazy.mode' is 'code'.";
  const loading = `Definitions are ${isActive ? "loaded when they are needed" : "given whole"}`;
  if (mode !== "auto") return `${loading}: 'lazy.mode' is '${mode}'.`;
  return `${loading}: ${full} tokens are ${isActive ? "" : "not "}above 'lazy.thresholdTokens', ${thresholdTokens}.`;
}

export const listPins = view("pins.list", {
  table: {
    rows: "pins",
    none: "No tool of a server is like that.",
    columns: {
      name: "TOOL",
      status: "STATUS",
      held: { title: "CALLABLE", text: (held) => (held === null ? "yes" : "quarantined") },
      at: { title: "SINCE", text: (moment) => renderMoment(moment ?? "") },
      by: { title: "BY", text: (by) => by?.system ?? by?.user ?? "" },
      reason: { title: "WHY", text: (reason) => reason ?? "" },
    },
  },
});

export const diffPin = view("pins.get", { text: renderDiff });

export const acceptPin = view("pins.accept", {
  text: (_, { input: { name } }) => `The definition of '${name}' is pinned.`,
});

export const rejectPin = view("pins.reject", {
  text: (_, { input: { name } }) =>
    `'${name}' is quarantined. 'toolplane pins accept ${name}' takes it after all.`,
});

const standings = {
  pinned: "is as it was pinned",
  new: "was never pinned",
  changed: "is not what was pinned",
  rejected: "is not what was pinned",
} as const;

function renderDiff(diff: PinDiff): string {
  const heldNote = diff.held === null ? "" : ", and quarantined";
  return joinLines(
    `${colors.bold(plainText(diff.name))} ${standings[diff.status]}${heldNote}.`,
    diff.difference.map(({ where, before, after }) =>
      joinLines(
        plainText(where),
        before !== null && colors.red(`  − ${plainText(before)}`),
        after !== null && colors.green(`  + ${plainText(after)}`),
      ),
    ),
  );
}
