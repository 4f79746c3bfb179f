import { nounFor } from "../../lib/text/wording.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { apart, type Check, type CheckRun, checkPart, type Keyword } from "./run.ts";

export const objectChecks: Record<string, Keyword> = {
  minProperties: (min) =>
    ofObject(
      (value, run) =>
        countOf(value, run) >= Number(min) ||
        run.fail(`must NOT have fewer than ${min} properties`),
    ),
  maxProperties: (max) =>
    ofObject(
      (value, run) =>
        countOf(value, run) <= Number(max) || run.fail(`must NOT have more than ${max} properties`),
    ),
  required(required) {
    const names = textsIn(required);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of names) if (!hasMember(value, name)) fits = missing(run, name);
      return fits;
    });
  },
  dependentRequired: (dependents, _, parts) => dependencies(dependents, parts.check),
  dependentSchemas: (dependents, _, parts) => dependencies(dependents, parts.check),
  dependencies: (dependents, _, parts) => dependencies(dependents, parts.check),
  propertyNames(schema, _, { check }) {
    const nameCheck = apart(check(schema));
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        if (!nameCheck(name, run)) fits = run.fail("property name must be valid");
      }
      return fits;
    });
  },
  properties(schemas, _, { check }) {
    if (!isObject(schemas)) return undefined;
    const propertyChecks = Object.entries(schemas).map(
      ([name, schema]) => [name, check(schema)] as const,
    );
    return ofObject((value, run) => {
      let fits = true;
      for (const [name, propertyCheck] of propertyChecks)
        if (hasMember(value, name) && !checkPart(propertyCheck, value[name], name, run))
          fits = false;
      run.spend(propertyChecks.length / 4);
      return fits;
    });
  },
  patternProperties(schemas, _, { check, matcher }) {
    if (!isObject(schemas)) return undefined;
    const patternChecks = Object.entries(schemas).map(([pattern, schema]) => ({
      pattern,
      ...matcher(pattern),
      valueCheck: check(schema),
    }));
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value))
        for (const { pattern, test, steps, valueCheck } of patternChecks) {
          run.spend(1 + steps(name.length));
          const matches = test(name);
          if (matches === undefined) run.leaveUnchecked("pattern", pattern);
          if (matches === true && !checkPart(valueCheck, value[name], name, run)) fits = false;
        }
      return fits;
    });
  },
  additionalProperties(schema, { properties, patternProperties }, { check, matcher }) {
    const declared = new Set(isObject(properties) ? Object.keys(properties) : []);
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties).map(matcher) : [];
    const valueCheck = check(schema);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        // A pattern that cannot be asked may have meant it.
        if (declared.has(name) || patterns.some(({ test }) => test(name) !== false)) continue;
        if (schema === false) fits = run.fail("must NOT have additional properties");
        else if (!checkPart(valueCheck, value[name], name, run)) fits = false;
      }
      return fits;
    });
  },
  unevaluatedProperties(schema, _, { check }) {
    const valueCheck = check(schema);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        if (run.evaluated?.has(name)) continue;
        if (schema === false) fits = run.fail("must NOT have unevaluated properties");
        else if (!checkPart(valueCheck, value[name], name, run)) fits = false;
      }
      return fits;
    });
  },
};

function ofObject(check: (value: UnknownObject, run: CheckRun) => boolean): Check {
  return (value, run) => !isObject(value) || check(value, run);
}

function hasMember(value: UnknownObject, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function missing(run: CheckRun, name: string): false {
  return run.fail(`${run.path.length === 0 ? "" : "is "}missing '${name}'`, { missing: name });
}

function countOf(value: UnknownObject, run: CheckRun): number {
  const { length } = Object.keys(value);
  run.spend(length / 4);
  return length;
}

function textsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.filter((text) => typeof text === "string");
}

/** A list of names, or a schema for the whole object. */
function dependencies(dependents: unknown, check: (schema: unknown) => Check): Check | undefined {
  if (!isObject(dependents)) return undefined;
  const rules = Object.entries(dependents).map(([name, needs]) => ({
    name,
    names: textsIn(needs),
    schemaCheck: Array.isArray(needs) ? undefined : check(needs),
  }));
  return ofObject((value, run) => {
    let fits = true;
    for (const { name, names, schemaCheck } of rules) {
      if (!hasMember(value, name)) continue;
      if (schemaCheck && !schemaCheck(value, run)) fits = false;
      const count = nounFor(names.length, "property", "properties");
      if (names.some((needed) => !hasMember(value, needed)))
        fits = run.fail(`must have ${count} ${names.join(", ")} when property ${name} is present`);
    }
    return fits;
  });
}
