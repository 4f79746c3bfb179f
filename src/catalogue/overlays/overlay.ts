import { hasMembers, withoutUndefined } from "../../lib/json/plain-data.ts";
import { hiddenValue } from "../../model/catalogue/hidden-value.ts";
import type {
  OverlayView,
  ProviderSpec,
  Tool,
  ToolArgument,
  ToolId,
  ToolOverlay,
} from "../../model/catalogue/tool.ts";
import { toolKey } from "../../model/catalogue/tool-name.ts";
import {
  isObject,
  type Json,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "../../model/json.ts";
import { callerName, hideArguments } from "../sources/injection.ts";
import type { NamelessTool } from "../sources/mcp.ts";

export type EffectiveOverlay = Pick<OverlayView, "source"> & {
  overlay?: ToolOverlay;
  /** A file has one, or all configurations share one, which one that is stored for this one covers. */
  isElsewhere: boolean;
};

/** A tool with its overlay, and the values that are sent with each of its calls. */
export type OverlaidTool = { tool: NamelessTool; fixed: JsonObject };

export function overlayTool(tool: NamelessTool, overlay: ToolOverlay | undefined): OverlaidTool {
  if (overlay === undefined) return { tool, fixed: {} };
  const { description = tool.description, arguments: localArguments = [], ...overlaid } = overlay;
  const { tool: described, fixed } = withLocalArguments(
    { tool: { ...tool, description }, fixed: {} },
    localArguments,
  );
  const effects = overlaid.side_effects === undefined ? tool.effects : "explicit";
  return {
    tool: {
      ...described,
      metadata: { ...tool.metadata, ...withoutUndefined(overlaid) },
      consent: overlaid.requires_consent === undefined ? tool.consent : "explicit",
      ...withoutUndefined({ effects }),
      overlaid: true,
    },
    fixed,
  };
}

/** An overlay cannot change an argument that only the system sets. */
function withLocalArguments(
  { tool, fixed: inheritedFixed }: OverlaidTool,
  localArguments: readonly ToolArgument[],
): OverlaidTool {
  if (localArguments.length === 0) return { tool, fixed: inheritedFixed };
  const allowed = localArguments.filter(({ name }) => !tool.reserved.includes(name));
  const { parameters, fixed, defaults, hidden, added } = applyArguments(tool.parameters, allowed);
  const { additionalProperties, unevaluatedProperties } = tool.parameters;
  const isStrict = additionalProperties === false || unevaluatedProperties === false;
  const refused = localArguments.filter((argument) => !allowed.includes(argument));
  const warnings = [
    ...(tool.warnings ?? []),
    ...refused.map(
      ({ name }) => `argument '${name}' is set by the system; what is said about it has no effect`,
    ),
    ...(isStrict ? added : []).map(
      (name) =>
        `argument '${name}' is unknown to the tool, which refuses arguments it does not know`,
    ),
  ];
  const allDefaults = { ...tool.defaults, ...defaults };
  return {
    tool: {
      ...tool,
      parameters,
      injects: unique([...tool.injects, ...Object.keys(fixed)]),
      reserved: unique([...tool.reserved, ...hidden]),
      ...withoutUndefined({
        defaults: hasMembers(allDefaults) ? allDefaults : undefined,
        warnings: warnings.length === 0 ? undefined : warnings,
      }),
    },
    fixed: { ...inheritedFixed, ...fixed },
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

type AppliedArguments = {
  parameters: JsonObject;
  /** Sent with every call, never shown. */
  fixed: JsonObject;
  defaults: JsonObject;
  hidden: string[];
  added: string[];
};

/** The schema is the base: written arguments override, hide, fix or add. */
export function applyArguments(
  base: JsonObject,
  localArguments: readonly ToolArgument[],
): AppliedArguments {
  const names = localArguments.map(({ name }) => name);
  const baseNames = hideArguments(base, names).injects;
  const isHidden = ({ hidden, fixed }: ToolArgument) => hidden === true || fixed !== undefined;
  const hidden = localArguments.filter(isHidden);
  const shown = localArguments.filter((argument) => !isHidden(argument));
  const hiddenNames = hidden.map(({ name }) => name);
  const { parameters } = hideArguments(base, hiddenNames);
  return {
    parameters: shown.length === 0 ? parameters : withArguments(parameters, shown, baseNames),
    fixed: valuesOf(hidden, (argument) =>
      argument.fixed === undefined ? argument.default : argument.fixed,
    ),
    defaults: valuesOf(shown, (argument) => argument.default),
    hidden: hiddenNames,
    added: names.filter((name) => !baseNames.includes(name)),
  };
}

function valuesOf(
  localArguments: readonly ToolArgument[],
  read: (argument: ToolArgument) => Json | undefined,
): JsonObject {
  return withoutUndefined(
    Object.fromEntries(localArguments.map((argument) => [argument.name, read(argument)])),
  ) as JsonObject;
}

function withArguments(
  base: JsonObject,
  shown: readonly ToolArgument[],
  baseNames: readonly string[],
): JsonObject {
  const properties = new Map(Object.entries(objectOrEmpty(base.properties)));
  const required = new Set(listOrEmpty(base.required) as string[]);
  for (const argument of shown) {
    const { name, default: fallback } = argument;
    properties.set(name, mergeSchema(properties.get(name), argument));
    const isRequiredByBase = !baseNames.includes(name) || required.has(name);
    const isRequired = argument.required ?? isRequiredByBase;
    if (isRequired && fallback === undefined) required.add(name);
    else required.delete(name);
  }
  return {
    ...base,
    properties: Object.fromEntries(properties) as JsonObject,
    required: [...required],
  };
}

/** With another type, only the description of the first still holds. */
function mergeSchema(
  before: unknown,
  { type, description, default: fallback, enum: choices }: ToolArgument,
) {
  const base = objectOrEmpty(before) as JsonObject;
  const hasOtherType = type !== undefined && base.type !== undefined && base.type !== type;
  const stillTrue = hasOtherType ? withoutUndefined({ description: base.description }) : base;
  return {
    ...stillTrue,
    ...withoutUndefined({ type, description, default: fallback, enum: choices }),
  } as JsonObject;
}

/** A server's tool as one provider of a wrapper calls it. */
type Wrapped = { base: OverlaidTool; argumentMap: unknown };

/** A hand-written tool, completed from the servers' tools that it calls. */
export function completeWrapper(
  { local, ...tool }: NamelessTool,
  find: (id: ToolId) => OverlaidTool | undefined,
): OverlaidTool {
  const wrapped = wrappedBy(tool.providers).flatMap(({ id, argumentMap }): Wrapped[] => {
    const base = find(id);
    return base === undefined ? [] : [{ base, argumentMap }];
  });
  const [first] = wrapped;
  const completed = first === undefined ? { tool, fixed: {} } : inheritFrom(tool, first, wrapped);
  // Its own list says the same whether a server has answered or not.
  return withLocalArguments(
    completed,
    (local ?? []).map((argument) => ({ required: true, ...argument })),
  );
}

export function unlistedServers(
  { id, providers }: Pick<Tool, "id" | "providers">,
  find: (id: ToolId) => unknown,
): string[] {
  if (id.server !== null) return [];
  const unknown = wrappedBy(providers).filter((wrapped) => find(wrapped.id) === undefined);
  return unique(unknown.map((wrapped) => wrapped.id.server));
}

/** The server's tools that are offered only through a hand-written one, with its name. By `toolKey`. */
export function exclusivelyWrapped(tools: readonly NamelessTool[]): ReadonlyMap<string, string> {
  const exclusive = tools.filter(
    ({ id, metadata }) => id.server === null && metadata.exclusive === true,
  );
  return new Map(
    exclusive.flatMap(({ id, providers }) =>
      wrappedBy(providers).map((wrapped) => [toolKey(wrapped.id), id.tool] as const),
    ),
  );
}

function wrappedBy(providers: readonly ProviderSpec[]) {
  return providers
    .filter(({ name }) => name === "mcp")
    .map(({ config: { server, tool, argumentMap } }) => ({
      id: { server: String(server), tool: String(tool) },
      argumentMap,
    }));
}

function inheritFrom(
  tool: NamelessTool,
  first: Wrapped,
  wrapped: readonly Wrapped[],
): OverlaidTool {
  const hasNoSchema =
    Object.keys(tool.parameters).length === 1 && tool.parameters.type === "object";
  // Of several providers none can define the schema for the others.
  const inheritsSchema = hasNoSchema && tool.providers.length === 1;
  const ownParameters = inheritsSchema
    ? renamed(first.base.tool.parameters, first.argumentMap)
    : tool.parameters;
  const fixed = wrapped.flatMap(({ base, argumentMap }) =>
    Object.entries(base.fixed).flatMap(([serverName, value]) =>
      callerNames(serverName, argumentMap).map((name) => [name, value] as const),
    ),
  );
  const namesIn = (list: "injects" | "reserved") =>
    wrapped.flatMap(({ base, argumentMap }) =>
      base.tool[list].flatMap((name) => callerNames(name, argumentMap)),
    );
  const reserved = unique([...tool.reserved, ...namesIn("reserved")]);
  const hidden = hideArguments(ownParameters, reserved);
  const injects = unique([...tool.injects, ...hidden.injects, ...namesIn("injects")]);
  const defaults =
    inheritsSchema && first.argumentMap === undefined ? first.base.tool.defaults : undefined;
  return {
    tool: {
      ...tool,
      parameters: hidden.parameters,
      injects,
      reserved,
      ...withoutUndefined({ defaults }),
    },
    fixed: Object.fromEntries(fixed),
  };
}

function callerNames(serverName: string, argumentMap: unknown): string[] {
  return [callerName(serverName, argumentMap)].filter((name) => name !== undefined);
}

const composingKeywords = [
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentRequired",
  "dependentSchemas",
];

/** A schema under the names that callers know; a composed schema cannot be renamed. */
function renamed(schema: JsonObject, argumentMap: unknown): JsonObject {
  if (!isObject(argumentMap)) return schema;
  if (composingKeywords.some((key) => schema[key] !== undefined)) return { type: "object" };
  const properties = Object.entries(objectOrEmpty(schema.properties));
  const required = listOrEmpty(schema.required);
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.flatMap(([serverName, inner]) =>
        callerNames(serverName, argumentMap).map((name) => [name, inner]),
      ),
    ) as JsonObject,
    required: required.flatMap((serverName) => callerNames(String(serverName), argumentMap)),
  };
}

/** A reference names a variable and holds no secret. */
const reference = /^\$\{\w+\}$/;

export function hideFixed(overlay: ToolOverlay): ToolOverlay {
  if (overlay.arguments === undefined) return overlay;
  const shown = overlay.arguments.map((argument) => {
    const { fixed } = argument;
    const isShown = fixed === undefined || (typeof fixed === "string" && reference.test(fixed));
    return isShown ? argument : { ...argument, fixed: hiddenValue };
  });
  return { ...overlay, arguments: shown };
}

/** Puts the fixed values back that were hidden when the overlay was shown. */
export function keepFixed(
  overlay: UnknownObject,
  storedOverlay: ToolOverlay | undefined,
): UnknownObject {
  if (!Array.isArray(overlay.arguments)) return overlay;
  const storedValues = new Map(
    (storedOverlay?.arguments ?? []).map(({ name, fixed }) => [name, fixed]),
  );
  const restored = overlay.arguments.map((argument: unknown) => {
    if (!isObject(argument) || argument.fixed !== hiddenValue) return argument;
    const { fixed: _, ...visible } = argument;
    return { ...visible, ...withoutUndefined({ fixed: storedValues.get(String(argument.name)) }) };
  });
  return { ...overlay, arguments: restored };
}
