import { hash } from "../lib/stable-json.ts";
import type { JsonObject } from "../model/json.ts";
import type { Tool } from "../model/tool.ts";

export type Fingerprint = (tool: Tool) => string;

/** Stands for everything a person relies on when they say yes: another definition has another one. */
export function createFingerprint(fixedOf: (tool: Tool) => JsonObject): Fingerprint {
  const known = new WeakMap<Tool, string>();
  return (tool) => {
    const before = known.get(tool);
    if (before !== undefined) return before;
    const { id, description, parameters, injects, annotations, metadata, persona, providers, source } = tool;
    const shown = { id, description, parameters, injects, annotations, metadata, persona, providers, source };
    const made = hash({ ...shown, fixed: fixedOf(tool) });
    known.set(tool, made);
    return made;
  };
}
