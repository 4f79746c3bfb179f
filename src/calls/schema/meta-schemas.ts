import type { UnknownObject } from "../../model/json.ts";

/** The meta-schemas of JSON Schema, so that a reference to one of them needs no network. */

const text = { type: "string" };
const flag = { type: "boolean" };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const anchor = { type: "string", pattern: "^[A-Za-z_][-A-Za-z0-9._]*$" };
const names = { type: "array", items: text, uniqueItems: true };
const type = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };
const types = { anyOf: [type, { type: "array", items: type, minItems: 1, uniqueItems: true }] };
const expression = { type: "string", format: "regex" };
/** The document that it stands in: one schema within another is of the same draft. */
const schema = { $ref: "#" };
const schemas = { type: "array", minItems: 1, items: schema };
const schemaMap = { type: "object", additionalProperties: schema };
const patternMap = { ...schemaMap, propertyNames: { format: "regex" } };
const dependencies = { type: "object", additionalProperties: { anyOf: [schema, names] } };

const identity = { type: "string", format: "uri-reference", pattern: "^[^#]*#?$" };
const reference = { type: "string", format: "uri-reference" };
const address = { type: "string", format: "uri" };
const vocabulary = { type: "object", propertyNames: address, additionalProperties: flag };

const core = {
  $id: identity,
  $schema: address,
  $ref: reference,
  $anchor: anchor,
  $vocabulary: vocabulary,
  $comment: text,
  $defs: schemaMap,
};
const applicator = {
  contains: schema,
  additionalProperties: schema,
  properties: schemaMap,
  patternProperties: patternMap,
  dependentSchemas: schemaMap,
  propertyNames: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: schema,
  else: schema,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: schema,
};
const validation = {
  type: types,
  const: true,
  enum: { type: "array" },
  multipleOf: { type: "number", exclusiveMinimum: 0 },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: expression,
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: names,
  dependentRequired: { type: "object", additionalProperties: names },
};
const annotations = {
  title: text,
  description: text,
  default: true,
  deprecated: flag,
  readOnly: flag,
  writeOnly: flag,
  examples: { type: "array" },
};
const content = { contentEncoding: text, contentMediaType: text, contentSchema: schema };
const format = { format: text };
const unevaluated = { unevaluatedItems: schema, unevaluatedProperties: schema };
const older = { definitions: schemaMap, dependencies };

type Vocabularies = Record<string, UnknownObject>;

const vocabularies2020: Vocabularies = {
  core: { ...core, $dynamicRef: reference, $dynamicAnchor: anchor },
  applicator: { ...applicator, prefixItems: schemas, items: schema },
  unevaluated,
  validation,
  "meta-data": annotations,
  "format-annotation": format,
  content,
};
const vocabularies2019: Vocabularies = {
  core: {
    ...core,
    $anchor: { type: "string", pattern: "^[A-Za-z][-A-Za-z0-9.:_]*$" },
    $recursiveRef: reference,
    $recursiveAnchor: flag,
  },
  applicator: {
    ...applicator,
    ...unevaluated,
    items: { anyOf: [schema, schemas] },
    additionalItems: schema,
  },
  validation,
  "meta-data": annotations,
  format,
  content,
};

const draft07 = {
  ...older,
  ...validation,
  ...applicator,
  ...format,
  ...annotations,
  $id: reference,
  $schema: address,
  $ref: reference,
  $comment: text,
  items: { anyOf: [schema, schemas] },
  additionalItems: schema,
  enum: { type: "array", minItems: 1, uniqueItems: true },
  contentEncoding: text,
  contentMediaType: text,
};
/** They came later. */
const notInDraft07 = [
  "dependentSchemas",
  "dependentRequired",
  "maxContains",
  "minContains",
  "deprecated",
];

const site = "json-schema.org";

function documentOf(path: string, properties: UnknownObject): [string, UnknownObject] {
  const $id = `http://${site}/${path}`;
  return [path, { $id, type: ["object", "boolean"], properties }];
}

function documentsOf(draft: string, vocabularies: Vocabularies): [string, UnknownObject][] {
  const parts = Object.entries(vocabularies);
  const keywords = Object.assign({}, older, ...parts.map(([, properties]) => properties));
  const extra = draft.endsWith("2020-12")
    ? { $recursiveAnchor: anchor, $recursiveRef: reference }
    : {};
  return [
    documentOf(`${draft}/schema`, { ...keywords, ...extra }),
    ...parts.map(([name, properties]) => documentOf(`${draft}/meta/${name}`, properties)),
  ];
}

const keywords07 = Object.entries(draft07).filter(([keyword]) => !notInDraft07.includes(keyword));

const documents = new Map([
  ...documentsOf("draft/2020-12", vocabularies2020),
  ...documentsOf("draft/2019-09", vocabularies2019),
  documentOf("draft-07/schema", Object.fromEntries(keywords07)),
  documentOf("draft-06/schema", Object.fromEntries(keywords07)),
]);

/** Undefined for any other address. */
export function metaSchemaAt(uri: string): UnknownObject | undefined {
  const [, path] = /^https?:\/\/json-schema\.org\/(.+)$/.exec(uri) ?? [];
  if (path === undefined) return undefined;
  return documents.get(path);
}
