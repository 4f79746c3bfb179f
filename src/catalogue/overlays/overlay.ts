import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ToolOverlay } from "../../model/overlay.ts";
import type { ToolArgument } from "../../model/tool-argument.ts";
import type { NamelessTool } from "../sources/mcp.ts";
import { applyArguments, forbidsOthers } from "./overlay-arguments.ts";

/** A tool with what is said about it here, and the values that are sent with each of its calls. */
export type Described = { tool: NamelessTool; fixed: JsonObject };

/** A tool as its server lists it, under what somebody wrote about it. */
export function overlayTool(tool: NamelessTool, overlay: ToolOverlay | undefined): Described {
  if (overlay === undefined) return { tool, fixed: {} };
  const { description = tool.description, arguments: written = [], ...said } = overlay;
  const { tool: described, fixed } = withLocalArguments(
    { tool: { ...tool, description }, fixed: {} },
    written,
  );
  return {
    tool: {
      ...described,
      metadata: { ...tool.metadata, ...withoutUndefined(said) },
      consent: said.requires_consent === undefined ? tool.consent : "explicit",
      parallel: said.allow_parallel === undefined ? tool.parallel : "explicit",
    },
    fixed,
  };
}

/** What only the system sets stays so, whatever is written about it. */
export function withLocalArguments(
  { tool, fixed: before }: Described,
  written: readonly ToolArgument[],
): Described {
  const allowed = written.filter(({ name }) => !tool.reserved.includes(name));
  if (written.length === 0) return { tool, fixed: before };
  const { parameters, fixed, defaults, hidden, added } = applyArguments(tool.parameters, allowed);
  const warnings = [
    ...written
      .filter((argument) => !allowed.includes(argument))
      .map(({ name }) => `argument '${name}' is set by the system; what is said about it has no effect`),
    ...(forbidsOthers(tool.parameters)
      ? added.map(
          (name) => `argument '${name}' is unknown to the tool, which refuses arguments it does not know`,
        )
      : []),
  ];
  const all = { ...tool.defaults, ...defaults };
  return {
    tool: {
      ...tool,
      parameters,
      injects: unique([...tool.injects, ...Object.keys(fixed)]),
      reserved: unique([...tool.reserved, ...hidden]),
      ...(Object.keys(all).length === 0 ? {} : { defaults: all }),
      ...(warnings.length === 0 ? {} : { warnings: [...(tool.warnings ?? []), ...warnings] }),
    },
    fixed: { ...before, ...fixed },
  };
}

export function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
