import { stableJson } from "../../lib/json/stable-json.ts";
import {
  type Check,
  type CheckContext,
  type CheckRun,
  inner,
  type Keyword,
  tryCheck,
} from "./run.ts";

export const listChecks: Record<string, Keyword> = {
  minItems: (given) => ofList((list, run) => list.length >= Number(given) || few(run, given)),
  maxItems: (given) => ofList((list, run) => list.length <= Number(given) || many(run, given)),
  uniqueItems: (given) => (given === true ? ofList(isUnique) : undefined),
  prefixItems: (given, _, parts) => tuple(given, parts),
  items: (given, { prefixItems, additionalItems }, parts) => {
    if (Array.isArray(given)) {
      const own = tuple(given, parts);
      const more = rest(additionalItems ?? true, given.length, parts);
      return (value, run) => [own, more].reduce((fits, check) => check(value, run) && fits, true);
    }
    return rest(given, Array.isArray(prefixItems) ? prefixItems.length : 0, parts);
  },
  contains: (given, { minContains = 1, maxContains = Infinity }, { check }) => {
    const one = check(given);
    const least = Number(minContains);
    const most = Number(maxContains);
    return ofList((list, run) => {
      let count = 0;
      for (const [at, item] of list.entries()) {
        const { seen } = run;
        run.seen = undefined;
        const fits = tryCheck(one, item, run);
        run.seen = seen;
        if (!fits) continue;
        count += 1;
        seen?.add(at);
      }
      if (count >= least && count <= most) return true;
      const limit = most === Infinity ? "" : ` and no more than ${most}`;
      return run.fail(`must contain at least ${least}${limit} valid item(s)`);
    });
  },
  unevaluatedItems: (given, _, { check }) => {
    const one = check(given);
    return ofList((list, run) => {
      const left = [...list.keys()].filter((at) => !run.seen?.has(at));
      run.spend(list.length);
      if (given === false && left.length > 0) return run.fail("must NOT have unevaluated items");
      return left.reduce((fits, at) => inner(one, list[at], at, run) && fits, true);
    });
  },
};

function ofList(check: (list: readonly unknown[], run: CheckRun) => boolean): Check {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

function few(run: CheckRun, least: unknown): false {
  return run.fail(`must NOT have fewer than ${least} items`);
}

function many(run: CheckRun, most: unknown): false {
  return run.fail(`must NOT have more than ${most} items`);
}

function tuple(given: unknown, { check }: CheckContext): Check {
  const checks = Array.isArray(given) ? given.map(check) : [];
  return ofList((list, run) => {
    let fits = true;
    for (const [at, one] of checks.entries()) {
      if (at >= list.length) break;
      if (!inner(one, list[at], at, run)) fits = false;
    }
    return fits;
  });
}

/** All items from some place on. */
function rest(given: unknown, from: number, { check }: CheckContext): Check {
  const one = check(given);
  return ofList((list, run) => {
    if (given === false) return list.length <= from || many(run, from);
    let fits = true;
    for (let at = from; at < list.length; at += 1) if (!inner(one, list[at], at, run)) fits = false;
    return fits;
  });
}

/** By their text, so that the time grows with the size of the list and not with its square. */
function isUnique(list: readonly unknown[], run: CheckRun): boolean {
  const places = new Map<unknown, number>();
  for (const [at, item] of list.entries()) {
    const isDeep = typeof item === "object" && item !== null;
    const text = isDeep ? stableJson(item) : item;
    run.spend(isDeep ? (text as string).length / 4 : 1);
    // Texts of objects begin in a way that no other text is asked for.
    const key = isDeep ? `\u0000${text}` : typeof item === "string" ? `"${item}` : item;
    const before = places.get(key);
    if (before !== undefined)
      return run.fail(`must NOT have duplicate items (items ## ${before} and ${at} are identical)`);
    places.set(key, at);
  }
  return true;
}
