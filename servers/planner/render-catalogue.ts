import { isObject, type UnknownObject } from "../../src/model/json.ts";
import { type KnownServer, type KnownTool, textOf } from "./inventory.ts";

/** The tools there are, as text for a model. Parameters that begin with `_` are the system's own. */
export function renderCatalogue(servers: readonly KnownServer[], omitted = 0): string {
  if (servers.every(({ tools }) => tools.length === 0)) return "(No tools available)";
  const more = omitted > 0 ? [`(${omitted} more tools are not listed here)`] : [];
  return [...servers.filter(({ tools }) => tools.length > 0).map(renderServer), ...more].join(
    "\n\n",
  );
}

function renderServer({ name, description, tools }: KnownServer): string {
  const about = oneLine(description);
  return [`Server: ${name}${about === "" ? "" : ` (${about})`}`, ...tools.map(renderTool)].join(
    "\n",
  );
}

function renderTool({ name, description, parameters }: KnownTool): string {
  const shown = renderParameters(parameters);
  return [
    `  Tool: ${name}`,
    `    Description: ${oneLine(description) || "(none)"}`,
    ...(shown.length === 0 ? ["    Parameters: (none)"] : ["    Parameters:", ...shown]),
  ].join("\n");
}

function renderParameters({ properties, required }: UnknownObject): string[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {})
    .filter(([name]) => !name.startsWith("_"))
    .map(([name, schema]) => {
      const { description } = isObject(schema) ? schema : {};
      const about = oneLine(textOf(description));
      const need = needed.includes(name) ? "required" : "optional";
      return `      ${name} (${typeOf(schema)}, ${need})${about === "" ? "" : `: ${about}`}`;
    });
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return "any";
  if (Array.isArray(schema.enum)) return `one of ${JSON.stringify(schema.enum)}`;
  return Array.isArray(schema.type) ? schema.type.join(" or ") : textOf(schema.type) || "any";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
