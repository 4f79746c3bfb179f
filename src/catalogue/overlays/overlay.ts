import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { ToolArgument, ToolOverlay } from "../../model/catalogue/tool.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { declaredAmong, hideInjected } from "../sources/hide-injected.ts";
import type { NamelessTool } from "../sources/mcp.ts";

/** A tool with what is said about it here, and the values that are sent with each of its calls. */
export type Described = { tool: NamelessTool; fixed: JsonObject };

/** A tool as its server lists it, under what somebody wrote about it. */
export function overlayTool(tool: NamelessTool, overlay: ToolOverlay | undefined): Described {
  if (overlay === undefined) return { tool, fixed: {} };
  const { description = tool.description, arguments: written = [], ...said } = overlay;
  const { tool: described, fixed } = withLocalArguments({ tool: { ...tool, description }, fixed: {} }, written);
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
export function withLocalArguments({ tool, fixed: before }: Described, written: readonly ToolArgument[]): Described {
  const allowed = written.filter(({ name }) => !tool.reserved.includes(name));
  if (written.length === 0) return { tool, fixed: before };
  const { parameters, fixed, defaults, hidden, added } = applyArguments(tool.parameters, allowed);
  const warnings = [
    ...written
      .filter((argument) => !allowed.includes(argument))
      .map(({ name }) => `argument '${name}' is set by the system; what is said about it has no effect`),
    ...(forbidsOthers(tool.parameters)
      ? added.map((name) => `argument '${name}' is unknown to the tool, which refuses arguments it does not know`)
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

/** What became of a schema under the arguments that somebody wrote for it. */
type Overlaid = {
  parameters: JsonObject;
  /** Sent with every call, shown to nobody. */
  fixed: JsonObject;
  defaults: JsonObject;
  /** Not to be set by callers. */
  hidden: string[];
  /** What the schema does not know. */
  added: string[];
};

/** The schema is the base: what is written here overrides, hides, fixes or adds. */
export function applyArguments(base: JsonObject, written: readonly ToolArgument[]): Overlaid {
  const names = written.map(({ name }) => name);
  const known = declaredAmong(base, names);
  const hidden = written.filter(isHidden).map(({ name }) => name);
  const shown = written.filter((argument) => !isHidden(argument));
  const { parameters } = hideInjected(base, hidden);
  return {
    parameters: shown.length === 0 ? parameters : withArguments(parameters, shown, known),
    fixed: collect(written.filter(isHidden), ({ fixed, default: fallback }) =>
      fixed === undefined ? fallback : fixed,
    ),
    defaults: collect(shown, ({ default: fallback }) => fallback),
    hidden,
    added: names.filter((name) => !known.includes(name)),
  };
}

/** May the tool refuse arguments that it does not know? */
function forbidsOthers({ additionalProperties, unevaluatedProperties }: JsonObject): boolean {
  return additionalProperties === false || unevaluatedProperties === false;
}

function isHidden({ hidden, fixed }: ToolArgument): boolean {
  return hidden === true || fixed !== undefined;
}

function collect(written: readonly ToolArgument[], read: (argument: ToolArgument) => Json | undefined): JsonObject {
  return Object.fromEntries(
    written.flatMap((argument) => {
      const value = read(argument);
      return value === undefined ? [] : [[argument.name, value]];
    }),
  );
}

function withArguments(base: JsonObject, shown: readonly ToolArgument[], known: readonly string[]): JsonObject {
  const properties = new Map(Object.entries(isObject(base.properties) ? base.properties : {}));
  const required = new Set(Array.isArray(base.required) ? base.required : []);
  for (const argument of shown) {
    const { name } = argument;
    properties.set(name, mergeSchema(properties.get(name), argument));
    if (isNeeded(argument, known.includes(name), required.has(name))) required.add(name);
    else required.delete(name);
  }
  return { ...base, properties: Object.fromEntries(properties) as JsonObject, required: [...required] };
}

function isNeeded({ required, default: fallback }: ToolArgument, isKnown: boolean, wasNeeded: boolean): boolean {
  if (fallback !== undefined) return false;
  return required ?? (isKnown ? wasNeeded : true);
}

/** Where the type is another one, what was said about the first type says nothing any more. */
function mergeSchema(
  before: unknown,
  { type, description, default: fallback, enum: choices }: ToolArgument,
): JsonObject {
  const base = isObject(before) ? (before as JsonObject) : {};
  const isOther = type !== undefined && base.type !== undefined && base.type !== type;
  const kept = isOther ? (base.description === undefined ? {} : { description: base.description }) : base;
  return {
    ...kept,
    ...(type === undefined ? {} : { type }),
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(choices === undefined ? {} : { enum: choices }),
  };
}
