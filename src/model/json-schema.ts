import { z } from "zod";
import type { Json } from "./json.ts";

/** What it holds is checked elsewhere, or not at all. */
export const AnyJson = z.unknown() as z.ZodType<Json, unknown>;
export const AnyObject = z.record(z.string(), AnyJson);

/** The names of types that are written by hand, for the declarations that are made of schemas. */
export const handWritten = z.registry<{ name: string }>();

/** Stands for such a type where no value is checked. */
export function typeNamed(name: string): z.ZodType {
  return z.unknown().register(handWritten, { name });
}

type Keys<Value> = Value extends unknown ? Extract<keyof Value, string> : never;

/** The schema, where every value of the type fits it and no key of the type is missing in it. */
type Fitting<Schema extends z.ZodType, Type> = [Type] extends [z.output<Schema>]
  ? [Keys<Type>] extends [Keys<z.output<Schema>>]
    ? Schema
    : never
  : never;

/**
 * A schema for a type that is written by hand, because programs write its values or because JSON says less than it.
 * Where the two differ it does not compile.
 */
export const typed = <Type>(name: string) => ({
  as<Schema extends z.ZodType>(schema: Fitting<Schema, Type>): z.ZodType<Type> {
    handWritten.add(schema, { name });
    return schema as unknown as z.ZodType<Type>;
  },
});
