import {
  hiddenBy,
  type InjectionEntry,
  type InjectionRule,
  reservedParameters,
  rulesOf,
} from "../../model/access/injection.ts";
import type { ProviderSpec, ToolId } from "../../model/catalogue/tool.ts";
import { isObject, type Json, type JsonObject } from "../../model/json.ts";

export type InjectionSettings = {
  everywhere: readonly InjectionEntry[];
  /** Includes those for every tool. */
  ofServer(server: string): readonly InjectionEntry[];
};

export function rulesFor(
  { id, providers }: { id: ToolId; providers: readonly ProviderSpec[] },
  { everywhere, ofServer }: InjectionSettings,
): InjectionRule[] {
  if (id.server !== null) return rulesOf(ofServer(id.server));
  return rulesOf([
    ...providers.flatMap((spec) =>
      spec.name === "mcp" ? rulesThrough(spec, rulesOf(ofServer(String(spec.config.server)))) : [],
    ),
    ...everywhere,
    ...reservedParameters,
  ]);
}

/** A wrapper that renames a parameter does not evade its rule. */
function rulesThrough({ config }: ProviderSpec, rules: readonly InjectionRule[]): InjectionRule[] {
  return rules.flatMap((rule) => {
    const parameter = oursFor(rule.parameter, config.argumentMap);
    return parameter === undefined ? [] : [{ ...rule, parameter }];
  });
}

/** The name that callers use for a provider's argument; undefined if none of theirs maps to it. */
export function oursFor(theirs: string, argumentMap: unknown): string | undefined {
  if (!isObject(argumentMap)) return theirs;
  if (Object.hasOwn(argumentMap, theirs)) return String(argumentMap[theirs]);
  return Object.values(argumentMap).some((name) => String(name) === theirs) ? undefined : theirs;
}

/** The schema that callers see, and the declared arguments that the system sets. */
export function applyRules(
  schema: JsonObject,
  rules: readonly InjectionRule[],
): { parameters: JsonObject; injects: string[] } {
  const files = rules.filter(({ from }) => from === "files").map(({ parameter }) => parameter);
  const { parameters, injects } = hideArguments(schema, rules.flatMap(hiddenBy));
  return { parameters, injects: [...injects, ...hideArguments(parameters, files).injects] };
}

/** The schema without these arguments of its own object; `injects` are those that it declares. */
export function hideArguments(
  schema: JsonObject,
  inject: readonly string[],
): { parameters: JsonObject; injects: string[] } {
  if (inject.length === 0) return { parameters: schema, injects: [] };
  const search: Search = {
    root: schema,
    names: new Set(inject),
    found: new Set(),
    copies: new Map(),
  };
  const parameters = strip(schema, search);
  const injects = inject.filter((name) => search.found.has(name));
  if (injects.length === 0) return { parameters: schema, injects };
  return { parameters: withCopies(parameters, [...search.copies.values()]), injects };
}

type Search = {
  root: JsonObject;
  names: ReadonlySet<string>;
  found: Set<string>;
  /** By reference: definitions of the arguments, without the hidden names. */
  copies: Map<string, Copy>;
};

type Copy = { among: string; name: string; original: string; schema: JsonObject };

const lists = ["allOf", "anyOf", "oneOf"];
const parts = ["if", "then", "else", "not"];
const byName = ["dependentSchemas", "dependencies"];

/** Returns the same object if nothing is hidden. Nested objects keep their properties. */
function strip(schema: JsonObject, search: Search): JsonObject {
  const changed = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    const now = stripKeyword(key, value, search);
    return now === value ? [] : [[key, now]];
  });
  const kept = changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) };
  return stripReference(kept, search);
}

function stripKeyword(key: string, value: Json, search: Search): Json {
  const { names } = search;
  if (key === "properties") return withoutKeys(value, names, (name) => search.found.add(name));
  if (key === "required") return withoutItems(value, names);
  if (key === "dependentRequired")
    return stripDependents(value, search, (inner) => withoutItems(inner, names));
  if (byName.includes(key))
    return stripDependents(value, search, (inner) =>
      Array.isArray(inner) ? withoutItems(inner, names) : stripPart(inner, search),
    );
  if (lists.includes(key) && Array.isArray(value))
    return mapped(value, (inner) => stripPart(inner, search));
  return parts.includes(key) ? stripPart(value, search) : value;
}

function stripPart(value: Json, search: Search): Json {
  return isObject(value) ? strip(value as JsonObject, search) : value;
}

function stripDependents(value: Json, { names }: Search, each: (inner: Json) => Json): Json {
  if (!isObject(value)) return value;
  const left = withoutKeys(value as JsonObject, names) as JsonObject;
  const stripped = Object.entries(left).map(([name, inner]) => [name, each(inner)] as const);
  const isSame = left === value && stripped.every(([name, inner]) => inner === left[name]);
  return isSame ? value : Object.fromEntries(stripped);
}

/** A definition may be used in other places, where its names mean something else: references here get one copy. */
function stripReference(schema: JsonObject, search: Search): JsonObject {
  const { $ref } = schema;
  const [, among, original] = typeof $ref === "string" ? (definition.exec($ref) ?? []) : [];
  if (typeof $ref !== "string" || among === undefined || original === undefined) return schema;
  const target = lookUp(search.root, $ref);
  if (target === undefined) return schema;
  const known = search.copies.get($ref);
  const copy: Copy = known ?? { among, original, schema: target, name: freeName(search, among) };
  search.copies.set($ref, copy);
  if (known === undefined) copy.schema = strip(target, search);
  return { ...schema, $ref: `#/${among}/${copy.name}` };
}

const definition = /^#\/(\$defs|definitions)\/([^/]+)$/;

function freeName({ root, copies }: Search, among: string): string {
  const taken = isObject(root[among]) ? root[among] : {};
  let at = copies.size + 1;
  while (Object.hasOwn(taken, `shown_${at}`)) at += 1000;
  return `shown_${at}`;
}

/** Adds the copies and drops definitions that are no longer referred to. */
function withCopies(schema: JsonObject, copies: readonly Copy[]): JsonObject {
  const needed = new Set<Copy>();
  for (;;) {
    const whole = { ...schema };
    for (const among of new Set(copies.map((copy) => copy.among))) {
      const own = copies.filter((copy) => copy.among === among);
      const gone = new Set(
        own.filter((copy) => !needed.has(copy)).map(({ original }) => plain(original)),
      );
      const others = Object.entries(whole[among] as JsonObject).filter(([name]) => !gone.has(name));
      const added = own.map((copy): [string, Json] => [copy.name, copy.schema]);
      whole[among] = Object.fromEntries([...others, ...added]);
    }
    const text = JSON.stringify(whole);
    const isMeant = ({ among, original }: Copy) =>
      text.includes(JSON.stringify(`#/${among}/${original}`));
    const more = copies.filter((copy) => !needed.has(copy) && isMeant(copy));
    if (more.length === 0) return whole;
    for (const copy of more) needed.add(copy);
  }
}

function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = plain(part);
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return isObject(found) ? (found as JsonObject) : undefined;
}

function plain(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

function withoutKeys(
  value: Json,
  names: ReadonlySet<string>,
  onFound?: (name: string) => void,
): Json {
  if (!isObject(value)) return value;
  const gone = Object.keys(value).filter((name) => names.has(name));
  for (const name of gone) onFound?.(name);
  if (gone.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !names.has(name)),
  ) as JsonObject;
}

function withoutItems(value: Json, names: ReadonlySet<string>): Json {
  if (!Array.isArray(value) || !value.some((item) => names.has(String(item)))) return value;
  return value.filter((item) => !names.has(String(item)));
}

function mapped(items: Json[], each: (item: Json) => Json): Json[] {
  const changed = items.map(each);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}
