import { isObject, type JsonObject } from "../../model/json.ts";

/** What only the system may set is not shown to anybody: neither as a property nor as required. */
export function hideInjected(
  schema: JsonObject,
  inject: readonly string[],
): { parameters: JsonObject; injects: string[] } {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const injects = inject.filter((name) => Object.hasOwn(properties, name));
  if (injects.length === 0) return { parameters: schema, injects };
  const shown = Object.entries(properties).filter(([name]) => !injects.includes(name));
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    parameters: {
      ...schema,
      properties: Object.fromEntries(shown) as JsonObject,
      required: required.filter((name) => !injects.includes(String(name))),
    },
    injects,
  };
}
