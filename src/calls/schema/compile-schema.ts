import { isObject, type UnknownObject } from "../../model/json.ts";
import { listChecks } from "./list-keywords.ts";
import { objectChecks } from "./object-keywords.ts";
import { type Check, type CheckContext, type CheckRun, type Keyword, tryCheck } from "./run.ts";
import { indexSchema, type JsonSchemaValue, type SchemaIndex } from "./schema-index.ts";
import { valueChecks } from "./value-keywords.ts";

/** Keywords that look at the same value with other schemas. */
const inPlace: Record<string, Keyword> = {
  allOf: ofSchemas((checks) => {
    return (value, run) => checks.reduce((fits, check) => check(value, run) && fits, true);
  }),
  anyOf: ofSchemas((checks) => {
    return (value, run) =>
      passing(checks, value, run) > 0 || run.fail("must match a schema in anyOf");
  }),
  oneOf: ofSchemas((alternatives) => {
    return (value, run) =>
      passing(alternatives, value, run) === 1 || run.fail("must match exactly one schema in oneOf");
  }),
  not(negated, _, { check }) {
    const not = check(negated);
    return (value, run) => !tryCheck(not, value, run) || run.fail("must NOT be valid");
  },
  if(condition, schema, { check }) {
    const when = check(condition);
    const then = check(schema.then ?? true);
    const otherwise = check(schema.else ?? true);
    return (value, run) => {
      const name = tryCheck(when, value, run) ? "then" : "else";
      return (
        (name === "then" ? then : otherwise)(value, run) || run.fail(`must match "${name}" schema`)
      );
    };
  },
};

/** In this order the problems are listed. */
const keywords = Object.entries({ ...valueChecks, ...listChecks, ...objectChecks, ...inPlace });
/** After all others: it needs what they have seen. */
const unevaluatedKeywords = ["unevaluatedItems", "unevaluatedProperties"];

/** Throws an Error for a schema that cannot be used. */
export function compileSchema(document: UnknownObject): Check {
  const index = indexSchema(document);
  const built = new Map<unknown, Check>();
  const parts: CheckContext = {
    matcher: index.matcher,
    tracks: index.tracks,
    check(schema) {
      let compiled: Check | undefined;
      return (value, run) => {
        compiled ??= built.get(schema);
        if (compiled === undefined) {
          compiled = build(schema as JsonSchemaValue, index, parts);
          built.set(schema, compiled);
        }
        return compiled(value, run);
      };
    },
  };
  return parts.check(document);
}

function build(schema: JsonSchemaValue, index: SchemaIndex, parts: CheckContext): Check {
  if (!isObject(schema))
    return schema === false ? (_, run) => run.fail("boolean schema is false") : () => true;
  const checks: Check[] = [];
  for (const key of ["$ref", "$dynamicRef", "$recursiveRef"])
    if (typeof schema[key] === "string") checks.push(refer(schema[key], schema, index, parts));
  for (const [key, keyword] of keywords) {
    if (schema[key] === undefined || unevaluatedKeywords.includes(key)) continue;
    const check = keyword(schema[key], schema, parts);
    if (check) checks.push(check);
  }
  for (const key of unevaluatedKeywords) {
    const check =
      schema[key] === undefined ? undefined : objectOrList(key)?.(schema[key], schema, parts);
    if (check) checks.push(check);
  }
  if (parts.tracks) return withMarks(together(checks));
  return together(checks);
}

function refer(
  reference: string,
  schema: UnknownObject,
  index: SchemaIndex,
  parts: CheckContext,
): Check {
  if (!index.isElsewhere(reference, schema)) return parts.check(index.target(reference, schema));
  return (value, run) => {
    run.leaveUnchecked("reference", reference);
    // It may have looked at anything.
    for (const key of membersOf(value)) run.evaluated?.add(key);
    return true;
  };
}

function membersOf(value: unknown): Iterable<string | number> {
  if (Array.isArray(value)) return value.keys();
  if (!isObject(value)) return [];
  return Object.keys(value);
}

function objectOrList(key: string): Keyword | undefined {
  return listChecks[key] ?? objectChecks[key];
}

function together(checks: readonly Check[]): Check {
  const steps = 1 + checks.length;
  return (value, run) => {
    run.spend(steps);
    run.enter();
    let fits = true;
    for (const check of checks) if (!check(value, run)) fits = false;
    run.depth -= 1;
    return fits;
  };
}

/** What a schema that fits has looked at counts for the schemas around it. */
function withMarks(check: Check): Check {
  return (value, run) => {
    const outer = run.evaluated;
    run.evaluated = new Set();
    const fits = check(value, run);
    if (fits && outer) for (const key of run.evaluated) outer.add(key);
    run.spend(run.evaluated.size);
    run.evaluated = outer;
    return fits;
  };
}

/** How many fit. Leaves the problems of all if none does. */
function passing(checks: readonly Check[], value: unknown, run: CheckRun): number {
  const before = run.problems.length;
  run.trials += 1;
  let count = 0;
  for (const check of checks) if (check(value, run)) count += 1;
  run.trials -= 1;
  if (count > 0) run.problems.length = before;
  return count;
}

/** What is no list of schemas asks for nothing. */
function ofSchemas(combine: (checks: readonly Check[]) => Check): Keyword {
  return (schemas, _, { check }) =>
    Array.isArray(schemas) && schemas.length > 0 ? combine(schemas.map(check)) : undefined;
}
