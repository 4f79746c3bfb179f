import { en } from "zod/locales";
import * as z from "zod/mini";
import type { Path } from "../model/path.ts";

const inEnglish = { error: en().localeError };

export type Report = (path: Path, message: string, hint?: string | null) => void;

/** The value as its schema has it; undefined after everything that is wrong with it was reported. */
export function parseValue<S extends z.core.$ZodType>(
  schema: S,
  value: unknown,
  path: Path,
  report: Report,
): z.output<S> | undefined {
  const parsed = z.safeParse(schema, value, inEnglish);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const inner = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    report([...path, ...inner], issue.message.replace(/^Invalid input: /, ""));
  }
  return undefined;
}

export function unsetHint(variable: string): string {
  return `Set it or write \${${variable}:-default}.`;
}
