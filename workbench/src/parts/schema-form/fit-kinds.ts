import type { UnknownObject } from "../../../../src/model/json.ts";
import { isRecord, onlyValueIn } from "./schema-words.ts";

/** What a schema says in words. */
export const words = ({ title, description, default: fallback }: UnknownObject): UnknownObject => ({
  ...(typeof title === "string" ? { title } : {}),
  ...(typeof description === "string" ? { description } : {}),
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** A value of several types is a choice between them. */
export function oneOfTypes(schema: UnknownObject, several: readonly unknown[]): UnknownObject {
  const { title, description, type: _, default: fallback, ...rest } = schema;
  if (several.length === 1) return { ...schema, type: several[0] };
  return {
    ...words({ title, description, default: fallback }),
    anyOf: several.map((type) => ({ ...rest, type })),
  };
}

/** A choice between constants is one list. Without a type of its own there is no field for it. */
export function oneList(schema: UnknownObject): UnknownObject | null {
  const key = (["anyOf", "oneOf"] as const).find((one) => Array.isArray(schema[one]));
  const choices = key === undefined ? [] : (schema[key] as unknown[]);
  const constants = choices.flatMap((choice) => constantOf(choice) ?? []);
  const [first] = constants;
  if (key === undefined || first === undefined || constants.length !== choices.length) return null;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  return { type: typeof first.const, ...rest, oneOf: constants };
}

function constantOf(choice: unknown): { const: unknown; title: string } | null {
  const only = isRecord(choice) ? onlyValueIn(choice) : undefined;
  if (!isRecord(choice) || !["string", "number", "boolean"].includes(typeof only)) return null;
  return { const: only, title: typeof choice.title === "string" ? choice.title : String(only) };
}

const isNull = (choice: unknown) => isRecord(choice) && onlyValueIn(choice) === null;

/** The schema without null, as many servers write an optional argument; null where it does not allow null. */
export function splitNull(schema: UnknownObject): UnknownObject | null {
  const { nullable, default: fallback, ...rest } = schema;
  const outer = fallback === null || fallback === undefined ? rest : { ...rest, default: fallback };
  if (nullable === true) return outer;
  if (Array.isArray(schema.type) && schema.type.includes("null")) {
    const type = schema.type.filter((one) => one !== "null");
    const choices = Array.isArray(schema.enum)
      ? { enum: schema.enum.filter((one) => one !== null) }
      : {};
    return { ...outer, ...choices, type: type.length === 1 ? type[0] : type };
  }
  if (Array.isArray(schema.enum) && schema.enum.includes(null))
    return { ...outer, enum: schema.enum.filter((one) => one !== null) };
  const key = (["anyOf", "oneOf"] as const).find(
    (one) => Array.isArray(schema[one]) && schema[one].some(isNull),
  );
  if (key === undefined) return null;
  const { [key]: choices, ...without } = outer as UnknownObject;
  const kept = (choices as unknown[]).filter((choice) => !isNull(choice));
  const [first] = kept;
  if (kept.length === 0) return null;
  return kept.length === 1 && isRecord(first)
    ? { ...first, ...without }
    : { ...without, [key]: kept };
}
