import { namedSchemas, nestedSchemas, schemaTypes } from "../../lib/json/schema-keywords.ts";
import { createMatcher } from "../../lib/text/matcher.ts";
import type { SafePattern } from "../../lib/text/safe-pattern.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

import { unescapePointer } from "../providers/mapping.ts";
import { metaSchemaAt } from "./meta-schemas.ts";

const maxSchemas = 20_000;
const maxDepth = 200;
const home = "schema:/";

export type JsonSchemaValue = UnknownObject | boolean;

/** What a schema needs to know of the document around it. */
export type SchemaIndex = {
  target(reference: string, from: UnknownObject): JsonSchemaValue;
  /** Does it lead to a document that would have to be fetched? Nothing is. */
  isElsewhere(reference: string, from: UnknownObject): boolean;
  matcher(pattern: string): SafePattern;
  /** Some part of it depends on what others looked at. */
  tracks: boolean;
};

/** One walk over the document; throws an Error for what cannot be used. */
export function indexSchema(document: UnknownObject): SchemaIndex {
  const schemasByAddress = new Map<string, JsonSchemaValue>([[home, document]]);
  const bases = new Map<unknown, string>();
  const references: [string, UnknownObject][] = [];
  const matchers = new Map<string, SafePattern>();
  let tracks = false;

  function visit(schema: unknown, outer: string, depth: number): void {
    if (!isObject(schema) || bases.has(schema)) return;
    if (bases.size >= maxSchemas) throw new Error(`it has more than ${maxSchemas} parts`);
    if (depth > maxDepth) throw new Error(`it is nested deeper than ${maxDepth}`);
    const base = typeof schema.$id === "string" ? addressOf(schema.$id, outer) : outer;
    bases.set(schema, base);
    if (base !== outer) schemasByAddress.set(withoutHash(base), schema);
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor])
      if (typeof anchor === "string")
        schemasByAddress.set(`${withoutHash(base)}#${anchor}`, schema);
    if (schema.$recursiveAnchor === true && !schemasByAddress.has(`${home}#`))
      schemasByAddress.set(`${home}#`, schema);
    for (const key of ["$ref", "$dynamicRef", "$recursiveRef"])
      if (typeof schema[key] === "string") references.push([schema[key], schema]);
    checkTypes(schema);
    if (schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined)
      tracks = true;
    if (typeof schema.pattern === "string") matcher(schema.pattern);
    if (isObject(schema.patternProperties))
      for (const pattern of Object.keys(schema.patternProperties)) matcher(pattern);
    for (const key of nestedSchemas)
      for (const subschema of Array.isArray(schema[key]) ? schema[key] : [schema[key]])
        visit(subschema, base, depth + 1);
    for (const key of namedSchemas)
      if (isObject(schema[key]))
        for (const subschema of Object.values(schema[key])) visit(subschema, base, depth + 1);
  }

  function matcher(pattern: string): SafePattern {
    const compiled = matchers.get(pattern) ?? createMatcher(pattern);
    if (compiled === undefined)
      throw new Error(`pattern ${JSON.stringify(pattern)} is not a regular expression`);
    matchers.set(pattern, compiled);
    return compiled;
  }

  function addMetaSchema(address: string): void {
    const documentAddress = withoutHash(address);
    const document = schemasByAddress.has(documentAddress)
      ? undefined
      : metaSchemaAt(documentAddress);
    if (document === undefined) return;
    visit(document, home, 0);
    schemasByAddress.set(documentAddress, document);
  }

  function target(reference: string, from: UnknownObject): JsonSchemaValue {
    const address = addressOf(reference, bases.get(from) ?? home);
    addMetaSchema(address);
    const schema = schemasByAddress.get(address) ?? pointTo(address, schemasByAddress);
    if (!isObject(schema) && typeof schema !== "boolean")
      throw new Error(`its reference '${reference}' leads nowhere`);
    return schema;
  }

  function isElsewhere(reference: string, from: UnknownObject): boolean {
    const documentAddress = withoutHash(addressOf(reference, bases.get(from) ?? home));
    addMetaSchema(documentAddress);
    return !schemasByAddress.has(documentAddress) && !documentAddress.startsWith(home);
  }

  visit(document, home, 0);
  // What a reference leads to may stand where no schema is expected.
  for (const [reference, from] of references)
    if (!isElsewhere(reference, from)) visit(target(reference, from), bases.get(from) ?? home, 0);
  return { target, isElsewhere, matcher, tracks };
}

function checkTypes({ type }: UnknownObject): void {
  if (type === undefined) return;
  for (const name of [type].flat())
    if (!schemaTypes.has(name as string))
      throw new Error(`type ${JSON.stringify(name)} is not one of JSON Schema`);
}

function addressOf(reference: string, base: string): string {
  try {
    return new URL(reference, base).href.replace(/#$/, "");
  } catch {
    throw new Error(`'${reference}' is no address of a schema`);
  }
}

function withoutHash(address: string): string {
  return address.split("#", 1)[0] as string;
}

function pointTo(address: string, schemasByAddress: ReadonlyMap<string, JsonSchemaValue>): unknown {
  const [documentAddress = "", pointer = ""] = address.split("#");
  const from: unknown = schemasByAddress.get(documentAddress);
  if (!pointer.startsWith("/")) return pointer === "" ? from : undefined;
  return decodeURIComponent(pointer)
    .split("/")
    .slice(1)
    .map(unescapePointer)
    .reduce<unknown>((inner, part) => {
      if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, part))
        return undefined;
      return (inner as UnknownObject)[part];
    }, from);
}
