import {
  hiddenBy,
  type InjectionEntry,
  type InjectionRule,
  reservedParameters,
  rulesOf,
} from "../../model/access/injection.ts";
import type { ProviderSpec, ToolId } from "../../model/catalogue/tool.ts";
import { isObject, type Json, type JsonObject, objectOrEmpty } from "../../model/json.ts";

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
    const parameter = callerName(rule.parameter, config.argumentMap);
    return parameter === undefined ? [] : [{ ...rule, parameter }];
  });
}

/** The name that callers use for a provider's argument; undefined if none of theirs maps to it. */
export function callerName(providerName: string, argumentMap: unknown): string | undefined {
  if (!isObject(argumentMap)) return providerName;
  if (Object.hasOwn(argumentMap, providerName)) return String(argumentMap[providerName]);
  if (Object.values(argumentMap).some((name) => String(name) === providerName)) return undefined;
  return providerName;
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
  const search: HidingRun = {
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

type HidingRun = {
  root: JsonObject;
  names: ReadonlySet<string>;
  found: Set<string>;
  /** By reference: definitions of the arguments, without the hidden names. */
  copies: Map<string, Copy>;
};

type Copy = { section: string; name: string; original: string; schema: JsonObject };

const listKeywords = ["allOf", "anyOf", "oneOf"];
const schemaKeywords = ["if", "then", "else", "not"];
const mapKeywords = ["dependentSchemas", "dependencies"];

/** Returns the same object if nothing is hidden. Nested objects keep their properties. */
function strip(schema: JsonObject, search: HidingRun): JsonObject {
  const changed = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    const stripped = stripKeyword(key, value, search);
    return stripped === value ? [] : [[key, stripped]];
  });
  const withoutNames =
    changed.length === 0 ? schema : { ...schema, ...Object.fromEntries(changed) };
  return stripReference(withoutNames, search);
}

function stripKeyword(key: string, value: Json, search: HidingRun): Json {
  const { names } = search;
  if (key === "properties") return withoutKeys(value, names, (name) => search.found.add(name));
  if (key === "required") return withoutItems(value, names);
  if (key === "dependentRequired")
    return stripDependents(value, search, (inner) => withoutItems(inner, names));
  if (mapKeywords.includes(key))
    return stripDependents(value, search, (inner) =>
      Array.isArray(inner) ? withoutItems(inner, names) : stripPart(inner, search),
    );
  if (listKeywords.includes(key) && Array.isArray(value))
    return mapped(value, (inner) => stripPart(inner, search));
  if (schemaKeywords.includes(key)) return stripPart(value, search);
  return value;
}

function stripPart(value: Json, search: HidingRun): Json {
  if (isObject(value)) return strip(value as JsonObject, search);
  return value;
}

function stripDependents(value: Json, { names }: HidingRun, each: (inner: Json) => Json): Json {
  if (!isObject(value)) return value;
  const remaining = withoutKeys(value as JsonObject, names) as JsonObject;
  const stripped = Object.entries(remaining).map(([name, inner]) => [name, each(inner)] as const);
  const isSame =
    remaining === value && stripped.every(([name, inner]) => inner === remaining[name]);
  return isSame ? value : Object.fromEntries(stripped);
}

/** A definition may be used in other places, where its names mean something else: references here get one copy. */
function stripReference(schema: JsonObject, search: HidingRun): JsonObject {
  const { $ref } = schema;
  const [, section, original] =
    typeof $ref === "string" ? (definitionReference.exec($ref) ?? []) : [];
  if (typeof $ref !== "string" || section === undefined || original === undefined) return schema;
  const target = lookUp(search.root, $ref);
  if (target === undefined) return schema;
  const previous = search.copies.get($ref);
  const copy: Copy = previous ?? {
    section,
    original,
    schema: target,
    name: freeName(search, section),
  };
  search.copies.set($ref, copy);
  if (previous === undefined) copy.schema = strip(target, search);
  return { ...schema, $ref: `#/${section}/${copy.name}` };
}

const definitionReference = /^#\/(\$defs|definitions)\/([^/]+)$/;

function freeName({ root, copies }: HidingRun, section: string): string {
  const definitions = objectOrEmpty(root[section]);
  let number = copies.size + 1;
  while (Object.hasOwn(definitions, `shown_${number}`)) number += 1000;
  return `shown_${number}`;
}

/** Adds the copies and drops definitions that are no longer referred to. */
function withCopies(schema: JsonObject, copies: readonly Copy[]): JsonObject {
  const originalsInUse = new Set<Copy>();
  for (;;) {
    const completed = { ...schema };
    for (const section of new Set(copies.map((copy) => copy.section))) {
      const copiesHere = copies.filter((copy) => copy.section === section);
      const unusedNames = new Set(
        copiesHere
          .filter((copy) => !originalsInUse.has(copy))
          .map(({ original }) => unescaped(original)),
      );
      const definitions = Object.entries(completed[section] as JsonObject).filter(
        ([name]) => !unusedNames.has(name),
      );
      const added = copiesHere.map((copy): [string, Json] => [copy.name, copy.schema]);
      completed[section] = Object.fromEntries([...definitions, ...added]);
    }
    const text = JSON.stringify(completed);
    const isReferredTo = ({ section, original }: Copy) =>
      text.includes(JSON.stringify(`#/${section}/${original}`));
    const more = copies.filter((copy) => !originalsInUse.has(copy) && isReferredTo(copy));
    if (more.length === 0) return completed;
    for (const copy of more) originalsInUse.add(copy);
  }
}

function lookUp(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let node: unknown = root;
  for (const segment of reference.slice(2).split("/")) {
    const key = unescaped(segment);
    if (!isObject(node) || !Object.hasOwn(node, key)) return undefined;
    node = node[key];
  }
  return isObject(node) ? (node as JsonObject) : undefined;
}

function unescaped(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

function withoutKeys(
  value: Json,
  names: ReadonlySet<string>,
  onFound?: (name: string) => void,
): Json {
  if (!isObject(value)) return value;
  const hiddenNames = Object.keys(value).filter((name) => names.has(name));
  for (const name of hiddenNames) onFound?.(name);
  if (hiddenNames.length === 0) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => !names.has(name)),
  ) as JsonObject;
}

function withoutItems(value: Json, names: ReadonlySet<string>): Json {
  if (!Array.isArray(value) || !value.some((item) => names.has(String(item)))) return value;
  return value.filter((item) => !names.has(String(item)));
}

function mapped(items: Json[], transform: (item: Json) => Json): Json[] {
  const changed = items.map(transform);
  if (changed.every((item, index) => item === items[index])) return items;
  return changed;
}
