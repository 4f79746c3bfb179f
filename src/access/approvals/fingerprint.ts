import { hash } from "../../lib/json/stable-json.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";

export type Fingerprint = (tool: Tool) => string;

/** Stands for everything a person relies on when they say yes: another definition has another one. */
export function createFingerprint(fixedOf: (tool: Tool) => JsonObject): Fingerprint {
  const known = new WeakMap<Tool, string>();
  return (tool) => {
    const before = known.get(tool);
    if (before !== undefined) return before;
    const { id, title, description, parameters, outputSchema, injects, annotations, listed } = tool;
    const { metadata, persona, providers, source } = tool;
    const { _meta, icons, ...others } = listed ?? {};
    const said = Object.keys(others).length === 0 ? {} : { said: others };
    const made = hash({
      ...{ id, title, description, parameters, outputSchema, injects, annotations, ...said },
      ...{ metadata, persona, providers, source, fixed: fixedOf(tool) },
    });
    known.set(tool, made);
    return made;
  };
}
