import { PlaneError } from "../../model/errors.ts";
import { pageLimits, type ResultPage, type ResultQuery } from "../../model/stored-result.ts";

export type PageAsked = {
  unit: ResultPage["unit"];
  offset: number;
  limit: number;
  path: string | null;
  grep: string | null;
};

const maxPattern = 1_000;
const known = ["offset", "limit", "path", "grep", "lines"];

/** What is asked for, held to what makes sense; the error names the parameter. */
export async function parseQuery(query: ResultQuery): Promise<PageAsked> {
  for (const name of Object.keys(query))
    if (!known.includes(name))
      refuse(name, null, `there is no such parameter; known are ${known.join(", ")}`);
  const { offset = 0, limit, path = null, grep = null, lines = false } = query;
  if (typeof lines !== "boolean") refuse("lines", lines, "give true or false");
  const unit = grep === null ? (lines ? "lines" : "characters") : "matches";
  const { usual, most } = pageLimits[unit];
  if (!Number.isSafeInteger(offset) || offset < 0) refuse("offset", offset, "give a whole number from 0");
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 1 || limit > most))
    refuse("limit", limit, `give a whole number from 1 to ${most} (${unit})`);
  if (path !== null && typeof path !== "string") refuse("path", path, "give a text");
  if (grep !== null) await requirePattern(grep);
  return { unit, offset, limit: limit ?? usual, path: path === "" ? null : path, grep };
}

async function requirePattern(grep: unknown): Promise<void> {
  if (typeof grep !== "string" || grep === "" || grep.length > maxPattern)
    return refuse("grep", grep, `give a pattern of 1 to ${maxPattern} characters`);
  const { patternProblem } = await import("../../lib/linear-pattern.ts");
  const problem = patternProblem(grep);
  if (problem !== null) refuse("grep", grep, problem);
}

function refuse(parameter: string, value: unknown, why: string): never {
  const shown = String(value).slice(0, 60);
  const what = value === null ? `'${parameter}'` : `'${parameter}' cannot be '${shown}'`;
  throw new PlaneError("USAGE", `${what}: ${why}.`, {
    data: { parameter, value: value === null ? null : shown },
  });
}
