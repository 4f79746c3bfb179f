import { stableJson } from "../../lib/json/stable-json.ts";
import { listOrEmpty } from "../../model/json.ts";
import {
  apart,
  type Check,
  type CheckContext,
  type CheckRun,
  checkPart,
  type Keyword,
  tryCheck,
} from "./run.ts";

export const listChecks: Record<string, Keyword> = {
  minItems: (min) => ofList((list, run) => list.length >= Number(min) || few(run, min)),
  maxItems: (max) => ofList((list, run) => list.length <= Number(max) || many(run, max)),
  uniqueItems: (isRequired) => (isRequired === true ? ofList(isUnique) : undefined),
  prefixItems: (schemas, _, parts) => tuple(schemas, parts),
  items(items, { prefixItems, additionalItems }, parts) {
    if (Array.isArray(items)) {
      const prefix = tuple(items, parts);
      const remainder = itemsFrom(additionalItems ?? true, items.length, parts);
      return (value, run) =>
        [prefix, remainder].reduce((fits, check) => check(value, run) && fits, true);
    }
    return itemsFrom(items, Array.isArray(prefixItems) ? prefixItems.length : 0, parts);
  },
  contains(schema, { minContains = 1, maxContains = Infinity }, { check }) {
    const itemCheck = apart(check(schema));
    const min = Number(minContains);
    const max = Number(maxContains);
    return ofList((list, run) => {
      let count = 0;
      for (const [index, item] of list.entries()) {
        if (!tryCheck(itemCheck, item, run)) continue;
        count += 1;
        run.evaluated?.add(index);
      }
      if (count >= min && count <= max) return true;
      const limit = max === Infinity ? "" : ` and no more than ${max}`;
      return run.fail(`must contain at least ${min}${limit} valid item(s)`);
    });
  },
  unevaluatedItems(schema, _, { check }) {
    const itemCheck = check(schema);
    return ofList((list, run) => {
      const unevaluated = [...list.keys()].filter((index) => !run.evaluated?.has(index));
      run.spend(list.length);
      if (schema === false && unevaluated.length > 0)
        return run.fail("must NOT have unevaluated items");
      return unevaluated.reduce(
        (fits, index) => checkPart(itemCheck, list[index], index, run) && fits,
        true,
      );
    });
  },
};

function ofList(check: (list: readonly unknown[], run: CheckRun) => boolean): Check {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

function few(run: CheckRun, min: unknown): false {
  return run.fail(`must NOT have fewer than ${min} items`);
}

function many(run: CheckRun, max: unknown): false {
  return run.fail(`must NOT have more than ${max} items`);
}

function tuple(schemas: unknown, { check }: CheckContext): Check {
  const checks = listOrEmpty(schemas).map(check);
  return ofList((list, run) => {
    let fits = true;
    for (const [index, itemCheck] of checks.entries()) {
      if (index >= list.length) break;
      if (!checkPart(itemCheck, list[index], index, run)) fits = false;
    }
    return fits;
  });
}

/** Checks the items behind the first `from`. */
function itemsFrom(schema: unknown, from: number, { check }: CheckContext): Check {
  const itemCheck = check(schema);
  return ofList((list, run) => {
    if (schema === false) return list.length <= from || many(run, from);
    let fits = true;
    for (let index = from; index < list.length; index += 1)
      if (!checkPart(itemCheck, list[index], index, run)) fits = false;
    return fits;
  });
}

/** Compares items by their text, so that the time grows with the size of the list and not with its square. */
function isUnique(list: readonly unknown[], run: CheckRun): boolean {
  const indexes = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item, run);
    const before = indexes.get(key);
    if (before !== undefined)
      return run.fail(
        `must NOT have duplicate items (items ## ${before} and ${index} are identical)`,
      );
    indexes.set(key, index);
  }
  return true;
}

/** The key of an object begins with a NUL, and that of a string with a quote: no two items share one by accident. */
function keyOf(item: unknown, run: CheckRun): unknown {
  if (typeof item === "object" && item !== null) {
    const text = stableJson(item);
    run.spend(text.length / 4);
    return `\u0000${text}`;
  }
  run.spend(1);
  return typeof item === "string" ? `"${item}` : item;
}
