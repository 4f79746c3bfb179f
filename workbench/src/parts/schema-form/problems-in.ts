import type { Wrong } from "./check-value.ts";
import { isRecord } from "./schema-words.ts";

/** What the plane found wrong with arguments, and where. */
export function problemsIn(error: unknown): Wrong[] {
  if (!isRecord(error) || error.code !== "INVALID_ARGUMENTS" || !isRecord(error.data)) return [];
  const { problems } = error.data;
  return (Array.isArray(problems) ? problems : []).flatMap((problem: unknown) => {
    const told = typeof problem === "string" ? inText(problem) : problem;
    if (!isRecord(told) || typeof told.path !== "string" || typeof told.message !== "string")
      return [];
    const path = pathIn(told.path);
    return typeof told.missing === "string"
      ? [{ path: [...path, told.missing], message: "is required" }]
      : [{ path, message: told.message }];
  });
}

/** `/place/city must be text`, as answers to questions are refused. */
function inText(problem: string): { path: string; message: string } {
  const [, path = "", message = problem] = /^(\/\S*)\s+(.*)$/s.exec(problem) ?? [];
  return { path, message };
}

const pathIn = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
