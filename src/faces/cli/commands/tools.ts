import { isDeepStrictEqual } from "node:util";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { renderArgumentType, renderSignature } from "../../../lib/json/schema-words.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { HealthSummary, ToolHealth } from "../../../model/catalogue/health-schema.ts";
import type { FoundTool } from "../../../model/catalogue/search-schema.ts";
import { type ProviderSpec, providerLabel } from "../../../model/catalogue/tool.ts";
import {
  deferredFormats,
  isDeferredFormat,
  isToolFormat,
  toolFormats,
} from "../../../model/catalogue/tool-formats.ts";
import { alwaysLoaded } from "../../../model/catalogue/tool-name.ts";
import { isForModels } from "../../../model/catalogue/tool-page.ts";
import { createToolPaths, renderDeclarations } from "../../../model/catalogue/tool-paths.ts";
import { type ToolQuery, unfilteredQuery } from "../../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ToolListing } from "../../../model/plane-tools.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import {
  colors,
  type Fact,
  print,
  printJson,
  printNextPage,
  printStatus,
  printWarning,
  renderFacts,
  renderSpan,
  renderTable,
  table,
} from "../terminal/output.ts";
import { describeTrouble } from "../terminal/server-trouble.ts";
import { command, withPlane } from "../with-plane.ts";
import { pickOptions, readFilters, type ToolFilters } from "./option-values.ts";
import { listQuality, renderFinding, renderReviewNote } from "./quality.ts";

const emptyCatalogue =
  "The catalogue is empty. 'toolplane servers list' shows why; 'toolplane doctor' says what to try.";

type ListOptions = GlobalOptions & ToolFilters & { quality?: boolean };

export async function listTools(cli: Cli, options: ListOptions): Promise<void> {
  if (options.quality) return listQuality(cli, options);
  const query = readFilters(options);
  await withPlane(cli, options, async (plane) => {
    const { tools, total, nextCursor, locked = [] } = await plane.tools.page(query);
    if (options.json)
      return printJson({ tools, total, nextCursor, ...(locked.length > 0 && { locked }) });
    const rows = tools.map(({ name, description, unavailable, review, stale }) => {
      const note = unavailable ? `(unavailable: ${unavailable}) ` : renderReviewNote(review);
      return [name, `${stale ? "(stale) " : ""}${note}${description}`];
    });
    if (rows.length > 0) print(renderTable(["TOOL", "DESCRIPTION"], rows));
    else print(isDeepStrictEqual(query, unfilteredQuery) ? emptyCatalogue : "No tool matches.");
    const hidden = (await countHidden(plane, query)) - total;
    if (hidden > 0)
      printStatus(
        `${countOf(hidden, "more tool")} in other groups or states: toolplane tools list --tool-group '*' --state '*'`,
      );
    for (const { name, contact } of locked)
      printStatus(
        `${name} is locked; ask ${contact.help_email ?? contact.author ?? "the operator of this plane"}.`,
      );
    if (plane.config().policy.mode === "review")
      printStatus("Review mode ('policy.mode'): only read-only tools are listed and run.");
    printNextPage(nextCursor, `${tools.length} of ${countOf(total, "tool")}`);
    for (const status of await plane.servers.list()) {
      // What is not trusted is in one warning about the project.
      const trouble = status.state === "untrusted" ? null : describeTrouble(status);
      if (trouble !== null) printWarning(trouble);
    }
  });
}

/** Of any group and state; a caller who may not ask for all groups gets none. */
async function countHidden(plane: Plane, query: ToolQuery): Promise<number> {
  if (query.groups !== null || query.state !== null) return 0;
  const unfiltered = { ...query, groups: ["*"], state: "*", limit: 1, cursor: null };
  return (await plane.tools.page(unfiltered).catch(() => ({ total: 0 }))).total;
}

export const showTool = command(
  (plane, name: string) => plane.tools.get(name),
  renderTool,
  (tool) => ({ tools: [tool] }),
);

/** What no person has said of a tool holds no call back. */
function renderConsent({ metadata, consent }: ToolListing): string {
  if (!metadata.requires_consent) return "not required";
  if (consent === "explicit") return "required";
  return "not asked for ('requires_consent' is not configured)";
}

function renderTool(tool: ToolListing): string {
  const { name, modelName, description, metadata, providers, health, source, unavailable } = tool;
  const {
    auth,
    capabilities,
    cost_per_call: cost,
    cost_unit: unit = "",
    default_timeout: timeout,
  } = metadata;
  const facts: Fact[] = [
    ["for models", modelName],
    ["source", source],
    ["version", metadata.version],
    [
      "side effects",
      metadata.side_effects === "network" ? "not declared (network)" : metadata.side_effects,
    ],
    ["persona", tool.persona],
    ["capabilities", capabilities.join(", ") || null],
    ["safety level", metadata.safety_level],
    ["consent", renderConsent(tool)],
    ["auth", auth.required ? ["required", ...(auth.scopes ?? [])].join(" ") : null],
    ["cost", cost === undefined ? null : `${cost} ${unit}`.trim()],
    ["timeout", timeout === undefined ? null : `${timeout} s`],
    ["groups", (metadata.group ?? ["default"]).join(", ") || "(empty - never available)"],
    ["next state", metadata.state],
    ["states", statesOf(metadata["applicable-states"])],
    ["parallel", parallelTexts[`${metadata.allow_parallel}`]],
    ...providers.map((provider): Fact => ["provider", renderProvider(provider, tool)]),
    ["health", renderHealth(health)],
    ...(health.persona === undefined
      ? []
      : [[`for ${health.persona.name}`, renderHealth(health.persona)] as const]),
    ["last call", health.last_invocation && renderLast(health.last_invocation)],
    ["callable", tool.review?.held && `no: ${tool.review.held}`],
    ["unavailable", unavailable],
    ["stale", tool.stale ? `its server could not list its tools again: ${tool.error}` : null],
    ...(tool.warnings ?? []).map((warning): Fact => ["warning", warning]),
    ["pinned", tool.review?.change && `no: it is ${tool.review.change}`],
    ...(tool.review?.findings ?? []).map((finding): Fact => ["suspicious", renderFinding(finding)]),
  ];
  return [
    colors.bold(name),
    plainText(description),
    "",
    colors.bold("Arguments"),
    ...renderArguments(tool),
    "",
    ...renderFacts(13, facts),
  ].join("\n");
}

function statesOf(states: readonly string[] | undefined): string | null {
  if (states === undefined) return null;
  return states.join(", ") || "(empty - never available)";
}

const parallelTexts = {
  true: "yes",
  false: "no, one call after the other",
  undefined: "not set: as many calls as its server takes",
} as const;

function renderProvider(spec: ProviderSpec, { providers, health }: ToolListing): string {
  const label = providerLabel(spec, providers);
  const { server, tool } = spec.config;
  const target = typeof server === "string" ? ` ${server}.${String(tool)}` : "";
  const { router } = health.providers[label] ?? {};
  const text = `${spec.name}${target}, priority ${spec.priority}`;
  if (!router?.backoff_until) return plainText(text);
  const cooldown = renderSpan(Date.parse(router.backoff_until) - Date.now());
  return plainText(`${text}, next try in ${cooldown}`);
}

function renderArguments({ parameters }: ToolListing): string[] {
  const { properties, required } = parameters;
  const entries = Object.entries(isObject(properties) ? properties : {});
  // Its arguments may stand in parts of its schema.
  if (entries.length === 0)
    return [`  ${oneLine(renderSignature(parameters)).replace(/^no arguments$/, "none")}`];
  const requiredNames = Array.isArray(required) ? required : [];
  return entries.map(([name, schema]) => {
    const { description, ...keywords } = isObject(schema) ? schema : {};
    const facts = [
      typeOf(keywords, parameters),
      requiredNames.includes(name) ? "required" : "optional",
      ...limitsOf(keywords),
    ];
    const text = typeof description === "string" ? `: ${oneLine(description)}` : "";
    return `  ${plainText(name)} ${colors.dim(`(${facts.join(", ")})`)}${text}`;
  });
}

function typeOf(argument: UnknownObject, schema: UnknownObject): string {
  const { type, items } = argument;
  if (type === undefined) return oneLine(renderArgumentType(argument, schema));
  const typeName = Array.isArray(type) ? type.join(" or ") : String(type);
  const inner =
    type === "array" && isObject(items) && items.type !== undefined ? ` of ${items.type}` : "";
  return oneLine(typeName + inner);
}

/** What else a caller has to know before they choose a value. */
function limitsOf({ default: fallback, enum: choices }: UnknownObject): string[] {
  const limits: string[] = [];
  if (fallback !== undefined) limits.push(`default ${oneLine(JSON.stringify(fallback))}`);
  if (Array.isArray(choices))
    limits.push(`one of ${oneLine(choices.map((choice) => JSON.stringify(choice)).join(" "))}`);
  return limits;
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}

function renderLast({
  at,
  ok,
  selected,
  last_success,
}: NonNullable<ToolHealth["last_invocation"]>): string {
  if (ok) return `${at}, answered by ${selected ?? "its provider"}`;
  return `${at}, failed${last_success === null ? "" : `; last answered ${last_success} by ${selected}`}`;
}

function renderHealth({
  total,
  success_rate,
  average_latency_ms,
  p95_latency_ms,
}: HealthSummary): string {
  if (total === 0) return "not called yet";
  const share = Math.round(success_rate * 100);
  return `${share} % of ${countOf(total, "call")}, ${Math.round(average_latency_ms)} ms on average, p95 ${Math.round(p95_latency_ms)} ms`;
}

type SearchOptions = {
  and?: string[];
  regex?: boolean;
  server?: string;
  limit?: number;
  explain?: boolean;
};

export const searchTools = command(
  (plane, queryWords: string[], { and = [], ...options }: SearchOptions) => {
    const query = queryWords.join(" ");
    const queries = and.length === 0 ? { query } : { queries: [query, ...and] };
    return plane.search({
      ...queries,
      ...pickOptions(options, "regex", "server", "limit", "explain"),
    });
  },
  ({ tools, skills = [], total, truncated, next, note }) => {
    print(renderTools(tools) || "No tool was found.");
    const texts = table(skills, "", {
      SCORE: ({ score }) => renderScore(score),
      SKILL: ({ name }) => name,
      SERVER: ({ server }) => server,
      SUMMARY: ({ summary }) => summary,
    });
    if (texts !== "") print(`\n${texts}`);
    if (tools.some(({ points }) => points !== undefined)) print(`\n${renderPoints(tools)}`);
    if (truncated) printStatus(colors.dim(`${tools.length} of ${total} that match.`));
    if (next.length > 0) printStatus(colors.dim(`Next: ${plainText(next.join(", "))}`));
    if (note !== undefined) printStatus(`${colors.yellow("note:")} ${plainText(note)}`);
  },
);

export const recommendTools = command(
  (plane, words: string[], options: { limit?: number }) =>
    plane.recommend(words.join(" "), pickOptions(options, "limit")),
  ({ tools, servers }) => {
    if (tools.length === 0) return "Nothing here fits the task.";
    const serverTable = table(servers, "", {
      SCORE: ({ score }) => renderScore(score),
      SERVER: ({ name }) => name,
      TOOLS: (server) => server.tools,
    });
    return `${serverTable && `${serverTable}\n\n`}${renderTools(tools)}`;
  },
);

function renderTools(tools: readonly FoundTool[]): string {
  return table(tools, "", {
    SCORE: ({ score }) => renderScore(score),
    TOOL: ({ name }) => name,
    NEEDS: ({ required }) => required.join(", ") || "-",
    SUMMARY: ({ summary, alsoOn = [], differsBy = [] }) => {
      const alsoOnText = alsoOn.length > 0 ? ` (also on ${alsoOn.join(", ")})` : "";
      return `${summary}${alsoOnText}${differsBy.length > 0 ? ` (this one: ${differsBy.join(", ")})` : ""}`;
    },
  });
}

function renderPoints(tools: readonly FoundTool[]): string {
  const rows = tools.flatMap(({ name, points = [] }) => points.map((part) => ({ name, ...part })));
  return table(rows, "", {
    TOOL: ({ name }) => name,
    POINTS: ({ points }) => points.toFixed(2),
    FROM: (point) => [point.from, point.words?.join(", ")].filter(Boolean).join(": "),
  });
}

const barWidth = 5;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

export function renderScore(score: number): string {
  const parts = Math.round(Math.min(1, Math.max(0, score)) * barWidth * 8);
  const bar = `${"█".repeat(Math.floor(parts / 8))}${eighths[parts % 8]}`;
  return `${bar.padEnd(barWidth, "·")} ${score.toFixed(2)}`;
}

type ExportOptions = GlobalOptions & {
  format: string;
  server?: string;
  tool?: string[];
  defer?: boolean;
};

export async function exportTools(cli: Cli, options: ExportOptions): Promise<void> {
  const { format } = options;
  if (options.defer && isFormat(format) && !isDeferredFormat(format))
    throw new PlaneError(
      "USAGE",
      `--defer is known for ${Object.keys(deferredFormats).join(" and ")}; '${format}' has no definitions that are loaded later.`,
    );
  if (format === "code") {
    const tools = await withPlane(cli, options, (plane) => choose(plane, options));
    const declarations = renderDeclarations(tools, createToolPaths(tools));
    if (options.json) return printJson({ declarations });
    return print(plainText(declarations));
  }
  if (!isToolFormat(format))
    throw new PlaneError(
      "USAGE",
      `--format '${format}' is not one of ${Object.keys(toolFormats).join(", ")}, code.`,
    );
  const exported = await withPlane(cli, options, async (plane) => {
    const tools = await choose(plane, options);
    if (options.defer && isDeferredFormat(format)) return defer(plane, format, tools);
    return toolFormats[format](tools);
  });
  printJson({ tools: exported });
}

const isFormat = (format: string) => format === "code" || isToolFormat(format);

/** What is always loaded for our own clients is so for others. */
function defer(
  plane: Plane,
  format: keyof typeof deferredFormats,
  tools: readonly ToolListing[],
): unknown {
  const { lazy, servers } = plane.config();
  const always: ReadonlySet<unknown> = alwaysLoaded(tools, lazy.alwaysLoadTools, matchesGlob);
  return deferredFormats[format](tools, {
    isDeferred: (tool) => !always.has(tool),
    describeServer: (server) => servers[server]?.description ?? "",
  });
}

/** By name, so that the same catalogue gives the same text. */
async function choose(
  plane: Plane,
  { server, tool: names }: ExportOptions,
): Promise<ToolListing[]> {
  const tools = names
    ? await Promise.all(names.map((name) => plane.tools.get(name)))
    : await listForModels(plane, server);
  const stranger = tools.find(({ id }) => server !== undefined && id.server !== server);
  if (stranger)
    throw new PlaneError("USAGE", `Tool '${stranger.name}' is not one of server '${server}'.`, {
      data: { tool: stranger.name },
    });
  const distinct = new Map(tools.map((tool) => [tool.modelName, tool]));
  return [...distinct.values()].sort((a, b) => (a.modelName < b.modelName ? -1 : 1));
}

async function listForModels(plane: Plane, server: string | undefined): Promise<ToolListing[]> {
  const tools = await plane.tools.list(withoutUndefined({ server }));
  return tools.filter((tool) => isTrusted(tool) && isForModels(tool));
}

/** What may be poisoned is for people to look at, and not for a model unless it is asked for by name. */
function isTrusted({ review }: ToolListing): boolean {
  return (review?.held ?? null) === null;
}
