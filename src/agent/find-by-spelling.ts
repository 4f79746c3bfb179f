import { nearest } from "../lib/nearest.ts";
import type { ToolId } from "../model/tool.ts";
import { spellings } from "../model/tool-name.ts";
import { noName } from "./asked-calls.ts";

/** As much of an offered tool as its name. */
type Named = { name: string; id?: ToolId };

/** So many names are told to a model that asked for another. */
const maxNames = 30;
/** What some models put before every name. */
const prefix = /^(?:functions|tools?|default_api)[.:/]/;

/** A tool by another spelling of its name: with its server in front, or as if it were a function. Only where one fits. */
export function findBySpelling<T extends Named>(name: string, offered: readonly T[]): T | undefined {
  const bare = name.trim().replace(prefix, "");
  if (bare === "") return undefined;
  const found = offered.filter(
    (tool) => tool.name === bare || (tool.id && spellings(tool.id).includes(bare)),
  );
  return found.length === 1 ? found[0] : undefined;
}

export function unknownTool(name: string, offered: readonly Named[]): string {
  const names = offered.map((tool) => tool.name);
  const what =
    name.trim() === "" || name === noName ? "A call names no tool" : `No tool '${name}' can be called here`;
  if (names.length === 0) return `${what}: no tools can be called now.`;
  const near = nearest(withoutServer(name), names).map((close) => `'${close}'`);
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : "";
  return `${what}.${meant} There are: ${names.slice(0, maxNames).join(", ")}${more}.`;
}

/** The last part of a name of several is what the tool is called. */
function withoutServer(name: string): string {
  return /[.:/]/.test(name) ? (name.split(/[.:/]/).at(-1) ?? name) : name;
}
