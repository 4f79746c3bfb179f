import type { UnknownObject } from "../../../../src/model/json.ts";
import { isRecord, targetOf } from "./schema-words.ts";

/** Fields that a form may have; more of them would stop the page at every key. */
const maxFields = 1_500;
/** References are drawn wherever they are used: a few short ones can unfold to billions of fields. */
const maxUnfolded = 6_000;
const maxDepth = 400;

/** Why a schema has no form, as a sentence, or null. Its writer is a stranger. */
export function whyNoForm(schema: unknown): string | null {
  if (!isRecord(schema)) return "It is not an object.";
  if (schema.type !== undefined && ![schema.type].flat().includes("object"))
    return "It is not for an object.";
  const references = new Set<unknown>();
  const waiting: { at: unknown; depth: number }[] = [{ at: schema, depth: 0 }];
  const all: UnknownObject[] = [];
  let fields = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { at, depth } = next;
    if (typeof at !== "object" || at === null) continue;
    if (depth > maxDepth) return "It is nested too deeply.";
    if (isRecord(at) && Object.hasOwn(at, "__proto__"))
      return "It has a property with the name __proto__.";
    if (isRecord(at) && isRecord(at.properties)) fields += Object.keys(at.properties).length;
    if (fields > maxFields) return `It has more than ${maxFields} fields.`;
    if (isRecord(at) && typeof at.$ref === "string") references.add(at.$ref);
    if (isRecord(at)) all.push(at);
    for (const inner of Object.values(at)) waiting.push({ at: inner, depth: depth + 1 });
  }
  if (references.size > maxFields) return `It has more than ${maxFields} references.`;
  const done = new Set<unknown>();
  if (all.some((at) => isOfItself(at, schema, new Set(), done))) return "It is made of itself.";
  const starts = [
    schema,
    ...[...references].flatMap((reference) => targetOf(reference, schema) ?? []),
  ];
  const isEndless = starts.some((start) => unfold(start, schema, [], { left: maxUnfolded }) <= 0);
  return isEndless ? `Its references unfold to more than ${maxUnfolded} fields.` : null;
}

/** A value would have to fit the schema in order to fit it: the forms' library would look for the end for ever. */
function isOfItself(
  at: unknown,
  root: UnknownObject,
  above: Set<unknown>,
  done: Set<unknown>,
): boolean {
  if (!isRecord(at) || done.has(at)) return false;
  if (above.has(at)) return true;
  above.add(at);
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
  } = at;
  const depending = [dependentSchemas, dependencies].flatMap((map) =>
    isRecord(map) ? Object.values(map) : [],
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
  const found = parts.some((part) => isOfItself(part, root, above, done));
  above.delete(at);
  done.add(at);
  return found;
}

/** What is drawn together; the choices of `oneOf` and `anyOf` are drawn when they are made. */
function unfold(
  at: unknown,
  root: UnknownObject,
  via: readonly string[],
  budget: { left: number },
): number {
  budget.left -= 1;
  if (budget.left <= 0 || !isRecord(at)) return budget.left;
  const { $ref, properties, patternProperties, dependentSchemas, dependencies } = at;
  const {
    items,
    prefixItems,
    additionalProperties,
    additionalItems,
    allOf,
    if: condition,
    then,
    else: otherwise,
  } = at;
  const maps = [properties, patternProperties, dependentSchemas, dependencies].filter(isRecord);
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
  if (typeof $ref === "string" && !via.includes($ref))
    unfold(targetOf($ref, root), root, [...via, $ref], budget);
  const inner = [...maps.flatMap((map) => Object.values(map)), ...lists.flat()];
  for (const one of inner) if (isRecord(one)) unfold(one, root, via, budget);
  return budget.left;
}
