import type { UnknownObject } from "../../../../src/model/json.ts";

const otherKeywords = [
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "patternProperties",
  "if",
  "dependentSchemas",
];

/** Whether the schema has no fields; other arguments can be written as JSON. */
export function takesNothing(schema: UnknownObject): boolean {
  const { properties, additionalProperties } = schema;
  const isEmpty = Object.keys((properties as UnknownObject | undefined) ?? {}).length === 0;
  const isOpen = typeof additionalProperties === "object" || additionalProperties === true;
  return isEmpty && !isOpen && otherKeywords.every((keyword) => schema[keyword] === undefined);
}
