import { z } from "zod";
import type { Json } from "./json.ts";

/** What it holds is checked elsewhere, or not at all. */
export const AnyJson = z.unknown() as z.ZodType<Json, unknown>;
export const AnyObject = z.record(z.string(), AnyJson);

/** The names of types that are written by hand, for the declarations that are made of schemas. */
export const handWritten = z.registry<{ name: string }>();

/**
 * A schema for a type that is written by hand, because programs write its values or because JSON says less than it.
 * A value of the type has to fit the schema, or it does not compile.
 */
export const typed = <Type>(name: string) => ({
  as<Schema extends z.ZodType>(schema: [Type] extends [z.output<Schema>] ? Schema : never): z.ZodType<Type> {
    handWritten.add(schema, { name });
    return schema as unknown as z.ZodType<Type>;
  },
});
