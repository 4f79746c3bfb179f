import type { Json, JsonObject } from "@toolplane/core/model/json";

/** Leaves out fields that are undefined, and lists and maps with nothing in them. */
export function withoutEmpty(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const isFilled = ([, field]: [string, Json | undefined]) =>
    field !== undefined &&
    (typeof field !== "object" || field === null || Object.keys(field).length > 0);
  return Object.fromEntries(Object.entries(fields).filter(isFilled)) as JsonObject;
}
