import { z } from "zod";
import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../../model/errors.ts";

/** The parameters of a route that takes these and no others; what makes no sense is refused by name. */
export function readQuery(
  schema: z.ZodObject | undefined,
  given: URLSearchParams,
): Record<string, unknown> {
  const shape = schema?.shape ?? {};
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(given.keys())) {
    if (!Object.hasOwn(shape, name)) refuseUnknown(name, Object.keys(shape));
    const all = given.getAll(name);
    if (isList(shape[name])) values[name] = all;
    else if (all.length === 1) values[name] = all[0] as string;
    else refuse(name, all[1] ?? null, `'${name}' is given twice; give it once.`);
  }
  const parsed = schema?.safeParse(values);
  if (parsed === undefined || parsed.success) return parsed?.data ?? {};
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? "");
  const value = given.get(name);
  const what = value === null ? `'${name}' is missing` : `'${name}' cannot be '${shorten(value)}'`;
  return refuse(name, value, `${what}: ${issue?.message ?? "it makes no sense"}.`);
}

function isList(schema: unknown): boolean {
  return (
    schema instanceof z.ZodArray || (schema instanceof z.ZodOptional && isList(schema.unwrap()))
  );
}

function refuseUnknown(name: string, known: readonly string[]): never {
  const [near] = nearest(name, known, 1);
  const meant = near === undefined ? "" : ` Did you mean '${near}'?`;
  const allowed = known.length === 0 ? "It takes none." : `Known are ${known.join(", ")}.`;
  return refuse(name, null, `There is no parameter '${shorten(name)}' here.${meant} ${allowed}`);
}

function refuse(parameter: string, value: string | null, message: string): never {
  throw new PlaneError("USAGE", message, { data: { parameter, value } });
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
