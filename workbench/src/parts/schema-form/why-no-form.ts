import { isObject, objectOrEmpty, type UnknownObject } from "../../../../src/model/json.ts";
import { targetOf } from "./schema-words.ts";

/** Fields that a form may have; more of them would stop the page at every key. */
const maxFields = 1_500;
/** References are drawn wherever they are used: a few short ones can unfold to billions of fields. */
const maxUnfolded = 6_000;
const maxDepth = 400;

/** Why a schema has no form, as a sentence, or null. Its writer is a stranger. */
export function whyNoForm(schema: unknown): string | null {
  if (!isObject(schema)) return "It is not an object.";
  if (schema.type !== undefined && ![schema.type].flat().includes("object"))
    return "It is not for an object.";
  const references = new Set<unknown>();
  const waiting: { node: unknown; depth: number }[] = [{ node: schema, depth: 0 }];
  const schemas: UnknownObject[] = [];
  let fields = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, depth } = next;
    if (typeof node !== "object" || node === null) continue;
    if (depth > maxDepth) return "It is nested too deeply.";
    if (isObject(node) && Object.hasOwn(node, "__proto__"))
      return "It has a property with the name __proto__.";
    if (isObject(node) && isObject(node.properties)) fields += Object.keys(node.properties).length;
    if (fields > maxFields) return `It has more than ${maxFields} fields.`;
    if (isObject(node) && typeof node.$ref === "string") references.add(node.$ref);
    if (isObject(node)) schemas.push(node);
    for (const child of Object.values(node)) waiting.push({ node: child, depth: depth + 1 });
  }
  if (references.size > maxFields) return `It has more than ${maxFields} references.`;
  const checked = new Set<unknown>();
  if (schemas.some((node) => isOfItself(node, schema, new Set(), checked)))
    return "It is made of itself.";
  const starts = [
    schema,
    ...[...references].flatMap((reference) => targetOf(reference, schema) ?? []),
  ];
  const isEndless = starts.some(
    (start) => unfold(start, schema, [], { remaining: maxUnfolded }) <= 0,
  );
  if (!isEndless) return null;
  return `Its references unfold to more than ${maxUnfolded} fields.`;
}

/** A value would have to fit the schema in order to fit it: the forms' library would look for the end for ever. */
function isOfItself(
  node: unknown,
  root: UnknownObject,
  ancestors: Set<unknown>,
  checked: Set<unknown>,
): boolean {
  if (!isObject(node) || checked.has(node)) return false;
  if (ancestors.has(node)) return true;
  ancestors.add(node);
  const {
    $ref,
    allOf,
    anyOf,
    oneOf,
    if: condition,
    then,
    else: otherwise,
    not,
    dependentSchemas,
    dependencies,
  } = node;
  const depending = [dependentSchemas, dependencies].flatMap((map) =>
    Object.values(objectOrEmpty(map)),
  );
  const parts = [
    targetOf($ref, root),
    ...[allOf, anyOf, oneOf].flat(),
    condition,
    then,
    otherwise,
    not,
    ...depending,
  ];
  const isCircular = parts.some((part) => isOfItself(part, root, ancestors, checked));
  ancestors.delete(node);
  checked.add(node);
  return isCircular;
}

/** What is drawn together; the choices of `oneOf` and `anyOf` are drawn when they are made. */
function unfold(
  node: unknown,
  root: UnknownObject,
  references: readonly string[],
  budget: { remaining: number },
): number {
  budget.remaining -= 1;
  if (budget.remaining <= 0 || !isObject(node)) return budget.remaining;
  const { $ref, properties, patternProperties, dependentSchemas, dependencies } = node;
  const {
    items,
    prefixItems,
    additionalProperties,
    additionalItems,
    allOf,
    if: condition,
    then,
    else: otherwise,
  } = node;
  const maps = [properties, patternProperties, dependentSchemas, dependencies].filter(isObject);
  const lists = [
    items,
    prefixItems,
    additionalProperties,
    additionalItems,
    allOf,
    condition,
    then,
    otherwise,
  ];
  if (typeof $ref === "string" && !references.includes($ref))
    unfold(targetOf($ref, root), root, [...references, $ref], budget);
  const inner = [...maps.flatMap((map) => Object.values(map)), ...lists.flat()];
  for (const subschema of inner)
    if (isObject(subschema)) unfold(subschema, root, references, budget);
  return budget.remaining;
}
