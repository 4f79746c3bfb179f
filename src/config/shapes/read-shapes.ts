import { nearest } from "../../lib/text/nearest.ts";
import type { ConfigProblem } from "../../model/config/config.ts";
import type { SettingOrigin } from "../../model/config/setup.ts";
import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import type { Transport } from "../../model/servers/server.ts";
import { mcpToolEntries, readMcpToolEntry } from "./mcp-tool-entries.ts";
import { native } from "./native.ts";
import { overlayKeys, toolsetTree } from "./normal-form.ts";
import {
  type ConfigDocument,
  createReading,
  describeValue,
  type Field,
  isName,
  listFields,
  maxSuggested,
  originIn,
  pathOfKey,
  type Reading,
  readTree,
  type Setting,
  type Shape,
} from "./reading.ts";
import { isServer, readServer, readServerFields } from "./server.ts";
import { isManifestEntry, readManifestEntry, readRemark } from "./tool-entry.ts";
import { readToolsMcpBlock } from "./tools-mcp-block.ts";

const kinds = {
  sse: { transport: "sse", keys: ["endpoint", "api_key"] },
  streamable_http: { transport: "http", keys: ["endpoint", "api_key"] },
  stdio: { transport: "stdio", keys: ["command", "args", "env"] },
} as const satisfies Record<string, { transport: Transport; keys: readonly string[] }>;

/** `providers` with a `provider_type` each, and `tool_configs` that select from them by alias. */
export const providerList: Shape = {
  keys: ["providers", "tool_configs"],
  read(reading, data) {
    eachOf(reading, data.providers, ["providers"], readProvider);
    eachOf(reading, data.tool_configs, ["tool_configs"], readToolConfig);
  },
};

type ReadEntry = (reading: Reading, entry: UnknownObject, source: Path) => void;

function eachOf(reading: Reading, list: unknown, source: Path, read: ReadEntry): void {
  if ((list ?? null) === null) return;
  if (!Array.isArray(list)) return reading.fail(source, "must be a list");
  for (const [index, entry] of list.entries()) {
    const entrySource = [...source, index];
    if (isObject(entry)) read(reading, entry, entrySource);
    else reading.fail(entrySource, "must be an object");
  }
}

function readProvider(reading: Reading, entry: UnknownObject, source: Path): void {
  const { name, provider_type: type, ...values } = entry;
  if (!isName(name)) return reading.fail(source, "a provider needs a 'name'");
  const typeSource = pathOfKey("provider_type", entry, source);
  const providerType = type ?? (values.command === undefined ? "sse" : "stdio");
  const kind = Object.entries(kinds).find(([typeName]) => typeName === providerType)?.[1];
  if (!kind) {
    const allowed = Object.keys(kinds).join(", ");
    return reading.fail(
      typeSource,
      `provider_type ${describeValue(providerType)} is unknown`,
      `Use one of ${allowed}.`,
    );
  }
  const knownKeys: readonly string[] = kind.keys;
  const fields = listFields(values, source).filter((field) => {
    const isKnown = knownKeys.includes(field.key);
    if (!isKnown) reading.warnUnknownKey(field.source, [...knownKeys, "name", "provider_type"]);
    return isKnown;
  });
  const transport = { key: "transport", value: kind.transport, source: typeSource };
  readServerFields(reading, name, [...fields.map(translate), transport], source);
}

function translate({ key, value, source }: Field): Field {
  if (key === "endpoint") return { key: "url", value, source };
  if (key === "api_key") return { key: "auth_token", value: secretOf(value), source };
  return { key, value, source };
}

/** The name of an environment variable means its value; while it is not set it is taken as plain text. */
function secretOf(value: unknown): unknown {
  const isVariable = typeof value === "string" && /^[A-Z_][A-Z0-9_]*$/.test(value);
  return isVariable ? `\${${value}:-${value}}` : value;
}

function readToolConfig(reading: Reading, entry: UnknownObject, source: Path): void {
  const { tool_alias: alias, ...values } = entry;
  if (!isName(alias)) return reading.fail(source, "a tool config needs a 'tool_alias'");
  const path = ["toolsets", alias];
  reading.define(path, source, () => readTree(reading, toolsetTree, values, path, source));
}

type Context = { fallbackName?: string; tellsAssumed: boolean };

function isToolEntry(value: unknown): boolean {
  return (
    isManifestEntry(value) ||
    (isObject(value) && isName(value.type) && isName(value.name) && !isServer(value))
  );
}

/** A tool written by hand; those that lead to a remote tool say so with their type. */
function readToolEntry(reading: Reading, entry: unknown, source: Path, context: Context): void {
  if (!isObject(entry)) return reading.fail(source, "a tool must be an object");
  if (isName(entry.type)) readMcpToolEntry(reading, entry, source, context);
  else readManifestEntry(reading, entry, source, context);
}

/** `tools`: a list or a map of tools written by hand, in which `mcp` may be a block of servers. */
export const handWrittenTools: Shape = {
  keys: ["tools"],
  read(reading, { tools }) {
    if (Array.isArray(tools)) {
      for (const [index, entry] of tools.entries())
        readToolEntry(reading, entry, ["tools", index], { tellsAssumed: false });
    } else if (isObject(tools)) {
      for (const [name, entry] of Object.entries(tools)) {
        const source = ["tools", name];
        if (name === "mcp" && isObject(entry) && !isToolEntry(entry))
          readToolsMcpBlock(reading, entry, source);
        else readToolEntry(reading, entry, source, { fallbackName: name, tellsAssumed: false });
      }
    } else if ((tools ?? null) !== null)
      reading.fail(["tools"], "must be a list or an object of tools");
  },
};

const wrappers = ["mcpServers", "servers", "providers"];
const serverKeys = [
  "command",
  "url",
  "openapi",
  "skills",
  "args",
  "env",
  "cwd",
  "transport",
  "headers",
  "auth_type",
];

/** Files without any wrapper: the top level is a map of servers, or of tools, by name. Tells what it took. */
function readByName(reading: Reading, data: UnknownObject, sections: readonly string[]): string[] {
  const isMap = isFlatMap(data, sections);
  const entries = Object.entries(data).filter(([name]) => !wrappers.includes(name));
  const servers = entries.filter(([name, entry]) => {
    if (isServer(entry)) return true;
    return isMap && !sections.includes(name) && isObject(entry) && !isManifestEntry(entry, name);
  });
  const tools = entries.filter(([name, entry]) => {
    return !sections.includes(name) && !isServer(entry) && isManifestEntry(entry, name);
  });
  for (const [name, entry] of servers) readServer(reading, name, entry, [name]);
  for (const [name, entry] of tools)
    readToolEntry(reading, entry, [name], { fallbackName: name, tellsAssumed: true });
  return [...servers, ...tools].map(([name]) => name);
}

/** Then even what does not look like a server is meant to be one, and the validation says what it lacks. */
function isFlatMap(data: UnknownObject, sections: readonly string[]): boolean {
  if (wrappers.some((wrapper) => data[wrapper] !== undefined)) return false;
  return Object.entries(data).some(
    ([name, entry]) =>
      !sections.includes(name) &&
      isObject(entry) &&
      serverKeys.some((key) => Object.hasOwn(entry, key)),
  );
}

/** `overlays`: what is said here about tools that servers list, by their names. */
export const overlays: Shape = {
  keys: ["overlays"],
  read(reading, { overlays: writtenOverlays }) {
    if ((writtenOverlays ?? null) === null) return;
    if (!isObject(writtenOverlays))
      return reading.fail(["overlays"], "must be an object of overlays by tool");
    for (const [name, entry] of Object.entries(writtenOverlays)) {
      const source = ["overlays", name];
      if (!isObject(entry)) reading.fail(source, "an overlay must be an object");
      else reading.define(source, source, () => readFields(reading, listFields(entry, source)));
    }
  },
};

function readFields(reading: Reading, fields: readonly Field[]): void {
  for (const { key, value, source } of fields.filter((field) => field.value !== null)) {
    if (!overlayKeys.includes(key)) reading.warnUnknownKey(source, overlayKeys);
    else reading.set(source, readRemark(reading, { key, value, source }), source);
  }
}

const shapes: readonly Shape[] = [native, overlays, handWrittenTools, providerList, mcpToolEntries];
const sections = ["$schema", ...shapes.flatMap(({ keys }) => keys)];

export function readShapes(document: ConfigDocument): {
  settings: Setting[];
  problems: ConfigProblem[];
} {
  const originOf = originIn(document);
  const reading = createReading(originOf);
  readData(reading, document.data);
  placeForcedRules(reading, originOf);
  const { settings, problems } = reading;
  return { settings, problems };
}

function readData(reading: Reading, data: unknown): void {
  if (Array.isArray(data)) return readList(reading, data);
  if (isToolEntry(data) && !hasServers(data))
    return readToolEntry(reading, data, [], { tellsAssumed: true });
  if (!isObject(data)) {
    return reading.fail(
      [],
      "the top level must be an object",
      'Start with { "mcpServers": { … } }.',
    );
  }
  const names = readByName(reading, data, sections);
  const otherData = Object.fromEntries(
    Object.entries(data).filter(([key]) => !names.includes(key)),
  );
  for (const shape of shapes) shape.read(reading, otherData);
  const unknownKeys = Object.keys(otherData).filter((key) => !sections.includes(key));
  for (const [index, key] of unknownKeys.entries()) {
    const intended = index < maxSuggested ? misspelledWrapper(key, otherData[key]) : undefined;
    if (intended === undefined) reading.warnUnknownKey([key], sections);
    else
      reading.fail(
        [key],
        `'${key}' is not a known key, so no server in it is read`,
        `Did you mean '${intended}'?`,
      );
  }
}

/** A section that is misspelled loses a setting; the one of the servers loses all of them. */
function misspelledWrapper(key: string, value: unknown): string | undefined {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  const lettersOnly = key.replaceAll(/[^a-z]/gi, "");
  const near = nearest(key, sections, 1)[0] ?? nearest(lettersOnly, sections, 1)[0];
  if (near === "mcpServers" || near === "servers") return near;
  return undefined;
}

function hasServers(data: unknown): boolean {
  return isObject(data) && (isObject(data.mcpServers) || isObject(data.servers));
}

function readList(reading: Reading, list: readonly unknown[]): void {
  for (const [index, entry] of list.entries()) {
    if (isToolEntry(entry)) readToolEntry(reading, entry, [index], { tellsAssumed: true });
    else reading.fail([index], "a list may hold tools only, each with a name and a description");
  }
}

/** Before the first rule that allows, since the first match decides: what must be asked can only be forbidden. */
function placeForcedRules(
  { settings, forced, set }: Reading,
  originOf: (source: Path) => SettingOrigin,
): void {
  const [firstForced] = forced;
  if (!firstForced) return;
  if (!settings.some(isRules)) set(["policy", "rules"], [], firstForced.source);
  const policyRules = settings.find(isRules);
  if (!policyRules || !Array.isArray(policyRules.value)) return;
  const { value, originInside } = policyRules;
  const allows = value.findIndex((rule) => isObject(rule) && rule.verdict === "allow");
  const insertAt = allows < 0 ? value.length : allows;
  policyRules.value = value.toSpliced(insertAt, 0, ...forced.map(({ rule }) => rule));
  policyRules.originInside = ([index, ...inner]) => {
    const position = Number(index);
    const forcedRule = position < insertAt ? undefined : forced[position - insertAt];
    if (forcedRule) return originOf(forcedRule.source);
    const ownPosition = position < insertAt ? position : position - forced.length;
    return originInside?.([ownPosition, ...inner]) ?? policyRules.origin;
  };
}

const isRules = ({ path: [section, key] }: Setting): boolean =>
  section === "policy" && key === "rules";
