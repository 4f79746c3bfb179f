import { isObject, type UnknownObject } from "../../model/json.ts";
import { type Check, type CheckRun, inner, type Keyword } from "./run.ts";

export const objectChecks: Record<string, Keyword> = {
  minProperties: (given) =>
    ofObject(
      (value, run) =>
        countOf(value, run) >= Number(given) ||
        run.fail(`must NOT have fewer than ${given} properties`),
    ),
  maxProperties: (given) =>
    ofObject(
      (value, run) =>
        countOf(value, run) <= Number(given) ||
        run.fail(`must NOT have more than ${given} properties`),
    ),
  required: (given) => {
    const names = textsIn(given);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of names) if (!has(value, name)) fits = missing(run, name);
      return fits;
    });
  },
  dependentRequired: (given, _, parts) => dependencies(given, parts.check),
  dependentSchemas: (given, _, parts) => dependencies(given, parts.check),
  dependencies: (given, _, parts) => dependencies(given, parts.check),
  propertyNames: (given, _, { check }) => {
    const one = check(given);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        const { seen } = run;
        run.seen = undefined;
        if (!one(name, run)) fits = run.fail("property name must be valid");
        run.seen = seen;
      }
      return fits;
    });
  },
  properties: (given, _, { check }) => {
    if (!isObject(given)) return undefined;
    const all = Object.entries(given).map(([name, schema]) => [name, check(schema)] as const);
    return ofObject((value, run) => {
      let fits = true;
      for (const [name, one] of all)
        if (has(value, name) && !inner(one, value[name], name, run)) fits = false;
      run.spend(all.length / 4);
      return fits;
    });
  },
  patternProperties: (given, _, { check, matcher }) => {
    if (!isObject(given)) return undefined;
    const all = Object.entries(given).map(([pattern, schema]) => ({
      pattern,
      ...matcher(pattern),
      one: check(schema),
    }));
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value))
        for (const { pattern, test, steps, one } of all) {
          run.spend(1 + steps(name.length));
          const matches = test(name);
          if (matches === undefined) run.leaveUnchecked("pattern", pattern);
          if (matches === true && !inner(one, value[name], name, run)) fits = false;
        }
      return fits;
    });
  },
  additionalProperties: (given, { properties, patternProperties }, { check, matcher }) => {
    const declared = new Set(isObject(properties) ? Object.keys(properties) : []);
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties).map(matcher) : [];
    const one = check(given);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        // A pattern that cannot be asked may have meant it.
        if (declared.has(name) || patterns.some(({ test }) => test(name) !== false)) continue;
        if (given === false) fits = run.fail("must NOT have additional properties");
        else if (!inner(one, value[name], name, run)) fits = false;
      }
      return fits;
    });
  },
  unevaluatedProperties: (given, _, { check }) => {
    const one = check(given);
    return ofObject((value, run) => {
      let fits = true;
      for (const name of Object.keys(value)) {
        run.spend(1);
        if (run.seen?.has(name)) continue;
        if (given === false) fits = run.fail("must NOT have unevaluated properties");
        else if (!inner(one, value[name], name, run)) fits = false;
      }
      return fits;
    });
  },
};

function ofObject(check: (value: UnknownObject, run: CheckRun) => boolean): Check {
  return (value, run) => !isObject(value) || check(value, run);
}

function has(value: UnknownObject, name: string): boolean {
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

function textsIn(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((one) => typeof one === "string") : [];
}

/** A list of names, or a schema for the whole object. */
function dependencies(given: unknown, check: (schema: unknown) => Check): Check | undefined {
  if (!isObject(given)) return undefined;
  const all = Object.entries(given).map(([name, needs]) => {
    const names = textsIn(needs);
    return { name, needs, names, one: Array.isArray(needs) ? undefined : check(needs) };
  });
  return ofObject((value, run) => {
    let fits = true;
    for (const { name, names, one } of all) {
      if (!has(value, name)) continue;
      if (one && !one(value, run)) fits = false;
      const count = names.length === 1 ? "property" : "properties";
      if (names.some((other) => !has(value, other)))
        fits = run.fail(`must have ${count} ${names.join(", ")} when property ${name} is present`);
    }
    return fits;
  });
}
