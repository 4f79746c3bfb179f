import * as z from "zod/mini";
import { ConfigValues } from "../model/config/config.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import { ServerDefinition } from "../model/servers/server.ts";
import { descriptions } from "./descriptions.ts";

/** What an editor needs to complete and check a native configuration. */
export function configSchema(): JsonObject {
  const { servers: _, ...sections } = ConfigValues.shape;
  const server = z.extend(ServerDefinition, { transport: z.optional(ServerDefinition.shape.transport) });
  const native = z.object({
    $schema: z.optional(z.string()),
    mcpServers: z.optional(z.record(z.string(), server)),
    ...Object.fromEntries(Object.entries(sections).map(([name, schema]) => [name, z.optional(schema)])),
  });
  const schema = z.toJSONSchema(native, { io: "input", unrepresentable: "any" }) as JsonObject;
  describe(schema, "");
  return { title: "Toolplane configuration", ...schema };
}

/** Adds the descriptions in place. The names of things and places in lists are no part of a key. */
function describe(schema: JsonObject, key: string): void {
  const known: Readonly<Record<string, string>> = descriptions;
  for (const [name, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const innerKey = key === "" ? name : `${key}.${name}`;
    if (!isObject(inner)) continue;
    if (known[innerKey] !== undefined) inner.description = known[innerKey];
    describe(inner as JsonObject, innerKey);
  }
  for (const inner of [schema.additionalProperties, schema.items]) {
    if (isObject(inner)) describe(inner as JsonObject, key);
  }
}
