import { isDeepStrictEqual } from "node:util";
import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { HealthSummary, ToolHealth } from "../../model/catalogue/health.ts";
import { type ProviderSpec, providerLabel } from "../../model/catalogue/tool.ts";
import { everyTool } from "../../model/catalogue/tool-query.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { ToolListing } from "../../model/plane-tools.ts";

import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { renderSpan } from "./dead-letter-view.ts";
import { describeTrouble } from "./last-words.ts";
import { renderFinding, renderReviewNote } from "./lint-findings.ts";
import { print, printJson, printWarning, renderTable, say } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

type ListOptions = GlobalOptions & ToolFilters & { quality?: boolean };

export async function listTools(cli: Cli, options: ListOptions): Promise<void> {
  if (options.quality) return (await import("./lint-list.ts")).listQuality(cli, options);
  const query = readFilters(options);
  await withPlane(cli, options, async (plane) => {
    const { tools, total, nextCursor, locked = [] } = await plane.tools.page(query);
    if (options.json) return printJson({ tools, total, nextCursor, ...(locked.length === 0 ? {} : { locked }) });
    if (tools.length === 0)
      print(
        isDeepStrictEqual(query, everyTool)
          ? "The catalogue is empty. 'toolplane servers list' shows why; 'toolplane doctor' says what to try."
          : "No tool matches.",
      );
    else
      print(
        renderTable(
          ["TOOL", "DESCRIPTION"],
          tools.map(({ name, description, unavailable, review, stale }) => [
            name,
            `${stale ? "(stale) " : ""}${unavailable ? `(unavailable: ${unavailable}) ` : renderReviewNote(review)}${description}`,
          ]),
        ),
      );
    for (const { name, contact } of locked)
      say(`${name} is locked; ask ${contact.help_email ?? contact.author ?? "whoever manages this plane"}.`);
    if (plane.config().policy.mode === "review")
      say("Review mode: only tools that read are listed, and only they run. 'policy.mode' says so.");
    if (nextCursor !== null)
      say(`${tools.length} of ${countOf(total, "tool")}; the next ones with --cursor ${nextCursor}`);
    for (const status of await plane.servers.list()) {
      const trouble = describeTrouble(status);
      if (trouble !== null) printWarning(trouble);
    }
  });
}

export async function showTool(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const tool = await withPlane(cli, options, (plane) => plane.tools.get(name));
  if (options.json) printJson({ tools: [tool] });
  else print(renderTool(tool));
}

function renderTool(tool: ToolListing): string {
  const { name, modelName, description, metadata, providers, health, source, unavailable } = tool;
  const facts = [
    ["for models", modelName],
    ["source", source],
    ["version", metadata.version],
    ["side effects", metadata.side_effects],
    ...(tool.persona === null ? [] : [["persona", tool.persona]]),
    ...(metadata.capabilities.length === 0 ? [] : [["capabilities", metadata.capabilities.join(", ")]]),
    ...(metadata.safety_level === undefined ? [] : [["safety level", metadata.safety_level]]),
    ["consent", metadata.requires_consent ? `required (${tool.consent})` : "not required"],
    ...(metadata.auth.required ? [["auth", ["required", ...(metadata.auth.scopes ?? [])].join(" ")]] : []),
    ...(metadata.cost_per_call === undefined
      ? []
      : [["cost", `${metadata.cost_per_call} ${metadata.cost_unit ?? ""}`.trim()]]),
    ...(metadata.default_timeout === undefined ? [] : [["timeout", `${metadata.default_timeout} s`]]),
    ["parallel", isSerial(tool) ? "no, one call after the other" : "yes"],
    ...providers.map((provider) => ["provider", renderProvider(provider, tool)]),
    ["health", renderHealth(health)],
    ...(health.persona === undefined ? [] : [[`for ${health.persona.name}`, renderHealth(health.persona)]]),
    ...(health.last_invocation === null ? [] : [["last call", renderLast(health.last_invocation)]]),
    ...(unavailable === null ? [] : [["unavailable", unavailable]]),
    ...(tool.stale ? [["stale", "its server could not list its tools again"]] : []),
    ...(tool.warnings ?? []).map((warning) => ["warning", plainText(warning)]),
    ...(tool.review?.change ? [["pinned", `no: it is ${tool.review.change}`]] : []),
    ...(tool.review?.findings ?? []).map((finding) => ["suspicious", renderFinding(finding)]),
  ];
  return [
    colors.bold(name),
    plainText(description),
    "",
    colors.bold("Arguments"),
    ...renderArguments(tool),
    "",
    ...facts.map(([label, value]) => `${colors.dim(String(label).padEnd(13))} ${value}`),
  ].join("\n");
}

function isSerial({ parallel, metadata }: ToolListing): boolean {
  return parallel === "explicit" && !metadata.allow_parallel;
}

function renderProvider(spec: ProviderSpec, { providers, health }: ToolListing): string {
  const label = providerLabel(spec, providers);
  const { server, tool } = spec.config;
  const where = typeof server === "string" ? ` ${server}.${String(tool)}` : "";
  const { router } = health.providers[label] ?? {};
  const rests = router?.backoff_until
    ? `, next try in ${renderSpan(Date.parse(router.backoff_until) - Date.now())}`
    : "";
  return plainText(`${spec.name}${where}, priority ${spec.priority}${rests}`);
}

function renderArguments({ parameters: { properties, required } }: ToolListing): string[] {
  const entries = Object.entries(isObject(properties) ? properties : {});
  if (entries.length === 0) return ["  none"];
  const needed = Array.isArray(required) ? required : [];
  return entries.map(([name, schema]) => {
    const { description, ...rest } = isObject(schema) ? schema : {};
    const facts = [typeOf(rest), needed.includes(name) ? "required" : "optional", ...limitsOf(rest)];
    const text = typeof description === "string" ? `: ${oneLine(description)}` : "";
    return `  ${plainText(name)} ${colors.dim(`(${facts.join(", ")})`)}${text}`;
  });
}

function typeOf({ type, items }: UnknownObject): string {
  const own = Array.isArray(type) ? type.join(" or ") : String(type ?? "any");
  const inner = type === "array" && isObject(items) && items.type !== undefined ? ` of ${items.type}` : "";
  return oneLine(own + inner);
}

/** What else a caller has to know before they choose a value. */
function limitsOf({ default: fallback, enum: choices }: UnknownObject): string[] {
  return [
    ...(fallback === undefined ? [] : [`default ${oneLine(JSON.stringify(fallback))}`]),
    ...(Array.isArray(choices) ? [`one of ${oneLine(choices.map((choice) => JSON.stringify(choice)).join(" "))}`] : []),
  ];
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}

function renderLast({ at, ok, selected }: NonNullable<ToolHealth["last_invocation"]>): string {
  return `${at}, ${ok ? `answered by ${selected ?? "its provider"}` : "failed"}`;
}

function renderHealth({ total, success_rate, average_latency_ms, p95_latency_ms }: HealthSummary): string {
  if (total === 0) return "not called yet";
  const share = Math.round(success_rate * 100);
  return `${share} % of ${countOf(total, "call")}, ${Math.round(average_latency_ms)} ms on average, p95 ${Math.round(p95_latency_ms)} ms`;
}
