import { isDeepStrictEqual } from "node:util";
import { plainText } from "../../lib/plain-text.ts";
import { sentence } from "../../lib/sentence.ts";
import { isObject } from "../../model/json.ts";
import type { ToolListing } from "../../model/plane.ts";
import { everyTool } from "../../model/tool-query.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { print, printJson, printWarning, renderTable, say } from "./output.ts";
import { readFilters, type ToolFilters } from "./tool-filters.ts";
import { withPlane } from "./with-plane.ts";

export async function listTools(cli: Cli, options: GlobalOptions & ToolFilters): Promise<void> {
  const query = readFilters(options);
  await withPlane(cli, options, async (plane) => {
    const { tools, total, nextCursor } = await plane.queryTools(query);
    if (options.json) return printJson({ tools, total, nextCursor });
    if (tools.length === 0)
      print(isDeepStrictEqual(query, everyTool) ? "The catalogue is empty." : "No tool matches.");
    else
      print(
        renderTable(
          ["TOOL", "DESCRIPTION"],
          tools.map(({ name, description, unavailable }) => [
            name,
            unavailable ? `(unavailable: ${unavailable}) ${description}` : description,
          ]),
        ),
      );
    if (nextCursor !== null)
      say(`${tools.length} of ${total} tools; the next ones with --cursor ${nextCursor}`);
    for (const { name, error } of await plane.servers()) {
      if (error !== null) printWarning(`Server '${name}' is not available: ${sentence(error)}`);
    }
  });
}

export async function showTool(cli: Cli, name: string, options: GlobalOptions): Promise<void> {
  const tool = await withPlane(cli, options, (plane) => plane.tool(name));
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
    ["providers", providers.map((provider) => provider.name).join(", ")],
    ["health", renderHealth(health)],
    ...(unavailable === null ? [] : [["unavailable", unavailable]]),
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

function renderArguments({ parameters: { properties, required } }: ToolListing): string[] {
  const entries = Object.entries(isObject(properties) ? properties : {});
  if (entries.length === 0) return ["  none"];
  const needed = Array.isArray(required) ? required : [];
  return entries.map(([name, schema]) => {
    const { type, description } = isObject(schema) ? schema : {};
    const need = needed.includes(name) ? "required" : "optional";
    const text = typeof description === "string" ? `: ${plainText(description).replaceAll(/\s+/g, " ")}` : "";
    return `  ${plainText(name)} ${colors.dim(`(${type ?? "any"}, ${need})`)}${text}`;
  });
}

function renderHealth({
  total,
  success_rate,
  average_latency_ms,
  p95_latency_ms,
}: ToolListing["health"]): string {
  if (total === 0) return "not called yet";
  const share = Math.round(success_rate * 100);
  return `${share} % of ${total} calls, ${Math.round(average_latency_ms)} ms on average, p95 ${Math.round(p95_latency_ms)} ms`;
}
