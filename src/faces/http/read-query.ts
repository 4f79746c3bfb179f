import { z } from "zod";
import { nearest, suggestionOf } from "../../lib/text/nearest.ts";
import { PlaneError } from "../../model/errors.ts";

/** The parameters of a route that takes these and no others; what makes no sense is refused by name. */
export function readQuery(
  schema: z.ZodObject | undefined,
  parameters: URLSearchParams,
): Record<string, unknown> {
  const shape = schema?.shape ?? {};
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(parameters.keys())) {
    if (!Object.hasOwn(shape, name)) refuseUnknown(name, Object.keys(shape));
    const texts = parameters.getAll(name);
    if (isList(shape[name])) values[name] = texts;
    else if (texts.length === 1) values[name] = texts[0] as string;
    else refuse(name, texts[1] ?? null, `'${name}' is given twice; give it once.`);
  }
  const parsed = schema?.safeParse(values);
  if (parsed === undefined || parsed.success) return parsed?.data ?? {};
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? "");
  const value = parameters.get(name);
  const problem =
    value === null ? `'${name}' is missing` : `'${name}' cannot be '${shorten(value)}'`;
  return refuse(name, value, `${problem}: ${issue?.message ?? "it makes no sense"}.`);
}

function isList(schema: unknown): boolean {
  return (
    schema instanceof z.ZodArray || (schema instanceof z.ZodOptional && isList(schema.unwrap()))
  );
}

function refuseUnknown(name: string, knownNames: readonly string[]): never {
  const suggestion = suggestionOf(nearest(name, knownNames, 1));
  const allowed =
    knownNames.length === 0 ? "It takes none." : `Known are ${knownNames.join(", ")}.`;
  return refuse(
    name,
    null,
    `There is no parameter '${shorten(name)}' here.${suggestion} ${allowed}`,
  );
}

function refuse(parameter: string, value: string | null, message: string): never {
  throw new PlaneError("USAGE", message, { data: { parameter, value } });
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
