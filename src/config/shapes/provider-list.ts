import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import type { Transport } from "../../model/server.ts";
import { type Field, fieldsOf, placeOf } from "./field.ts";
import { readTree } from "./read-tree.ts";
import { describeValue, isName, type Reading } from "./reading.ts";
import { readServerFields } from "./server.ts";
import type { Shape } from "./shape.ts";
import { toolsetTree } from "./trees.ts";

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
  for (const [at, entry] of list.entries()) {
    const place = [...source, at];
    if (isObject(entry)) read(reading, entry, place);
    else reading.fail(place, "must be an object");
  }
}

function readProvider(reading: Reading, entry: UnknownObject, source: Path): void {
  const { name, provider_type: type, ...own } = entry;
  if (!isName(name)) return reading.fail(source, "a provider needs a 'name'");
  const place = placeOf("provider_type", entry, source);
  const said = type ?? (own.command === undefined ? "sse" : "stdio");
  const kind = Object.entries(kinds).find(([known]) => known === said)?.[1];
  if (!kind) {
    const allowed = Object.keys(kinds).join(", ");
    return reading.fail(place, `provider_type ${describeValue(said)} is unknown`, `Use one of ${allowed}.`);
  }
  const known: readonly string[] = kind.keys;
  const fields = fieldsOf(own, source).filter((field) => {
    const isKnown = known.includes(field.key);
    if (!isKnown) reading.warnUnknownKey(field.source, [...known, "name", "provider_type"]);
    return isKnown;
  });
  const transport = { key: "transport", value: kind.transport, source: place };
  readServerFields(reading, name, [...fields.map(translate), transport], source);
}

function translate({ key, value, source }: Field): Field {
  if (key === "endpoint") return { key: "url", value, source };
  return key === "api_key" ? { key: "auth_token", value: secretOf(value), source } : { key, value, source };
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
