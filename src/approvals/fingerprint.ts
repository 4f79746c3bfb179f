import { hash } from "../lib/stable-json.ts";
import type { Tool } from "../model/tool.ts";

const known = new WeakMap<Tool, string>();

/** Stands for everything a person relies on when they say yes: another definition has another one. */
export function fingerprintOf(tool: Tool): string {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const { id, description, parameters, injects, annotations, metadata, persona, providers, source } = tool;
  const made = hash({
    id,
    description,
    parameters,
    injects,
    annotations,
    metadata,
    persona,
    providers,
    source,
  });
  known.set(tool, made);
  return made;
}
