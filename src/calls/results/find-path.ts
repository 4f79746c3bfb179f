import { nearest } from "../../lib/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";

const whole = "$result";

/** Does the path lead into the result as it came, and not into what it says? */
export function isWhole(path: string): boolean {
  return path === whole || path.startsWith(`${whole}.`) || path.startsWith(`${whole}/`);
}

/** What a path leads to. Whatever is wrong with it is told with what there is instead. */
export function findPath(root: Json, path: string): Json {
  const steps = readSteps(isWhole(path) ? path.slice(whole.length) : path);
  let here = root;
  for (const [at, step] of steps.entries()) {
    const next = stepInto(here, step);
    if (next === undefined) throw leadsNowhere(path, here, step, steps.slice(0, at));
    here = next;
  }
  return here;
}

/** `/a~1b/0` as RFC 6901 has it, or `a.b[0]`. */
function readSteps(path: string): string[] {
  if (path.startsWith("/"))
    return path
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return path
    .replace(/^\$/, "")
    .replaceAll(/\[(\d+)\]/g, ".$1")
    .split(".")
    .filter((step) => step !== "");
}

function stepInto(value: Json, step: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  return Object.hasOwn(value, step) ? value[step] : undefined;
}

function leadsNowhere(path: string, here: Json, step: string, before: readonly string[]): PlaneError {
  const place = before.length === 0 ? "at the top" : `at '${before.join(".")}'`;
  return new PlaneError(
    "USAGE",
    `'path' cannot be '${shorten(path)}': ${place} there is ${whatIsThere(here, step)}.`,
    { data: { parameter: "path", value: shorten(path) } },
  );
}

function whatIsThere(here: Json, step: string): string {
  if (Array.isArray(here)) return `a list of ${here.length}, whose entries are counted from 0`;
  if (typeof here !== "object" || here === null) return "a single value and nothing below it";
  const keys = Object.keys(here);
  const [near] = nearest(step, keys, 1);
  const some = keys.slice(0, 10).map((key) => shorten(key));
  const known = keys.length === 0 ? "nothing" : `${some.join(", ")}${keys.length > 10 ? ", …" : ""}`;
  return `no '${shorten(step)}' but ${known}${near === undefined ? "" : `; did you mean '${shorten(near)}'`}`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
