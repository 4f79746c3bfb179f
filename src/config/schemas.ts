import * as z from "zod/mini";
import { ToolManifest } from "../model/catalogue/tool.ts";
import { ConfigValues } from "../model/config/config.ts";
import { isObject, type JsonObject, objectOrEmpty } from "../model/json.ts";
import { ServerDefinition } from "../model/servers/server.ts";
import { JobManifest, TaskManifest } from "../model/work/job.ts";
import { SkillManifest } from "../model/work/skill.ts";
import { descriptions } from "./descriptions.ts";

export function configSchema(): JsonObject {
  const { servers: _, ...sections } = ConfigValues.shape;
  const server = z.extend(ServerDefinition, {
    transport: z.optional(ServerDefinition.shape.transport),
  });
  const native = z.object({
    $schema: z.optional(z.string()),
    mcpServers: z.optional(z.record(z.string(), server)),
    ...Object.fromEntries(
      Object.entries(sections).map(([name, schema]) => [name, z.optional(schema)]),
    ),
  });
  const schema = z.toJSONSchema(native, { io: "input", unrepresentable: "any" }) as JsonObject;
  describe(schema, "");
  return { title: "Toolplane configuration", ...schema };
}

/** Adds the descriptions in place. The names of things and places in lists are no part of a key. */
function describe(schema: JsonObject, key: string): void {
  for (const [name, inner] of Object.entries(objectOrEmpty(schema.properties))) {
    const innerKey = key === "" ? name : `${key}.${name}`;
    if (!isObject(inner)) continue;
    const description = descriptions[innerKey];
    if (description !== undefined) inner.description = description;
    describe(inner as JsonObject, innerKey);
  }
  for (const inner of [schema.additionalProperties, schema.items]) {
    if (isObject(inner)) describe(inner as JsonObject, key);
  }
}

const commonFields = {
  $schema: z.optional(z.string()),
  owner: z.optional(z.nullable(z.string())),
};
const kind = <const K extends string>(name: K) => ({
  ...commonFields,
  kind: z.optional(z.literal(name)),
});

const ExtendingTask = z.extend(z.partial(TaskManifest), {
  ...kind("task"),
  name: TaskManifest.shape.name,
  extends: TaskManifest.shape.name,
});

const Kinds = z.object({
  tool: z.extend(ToolManifest, kind("tool")),
  skill: z.extend(SkillManifest, kind("skill")),
  task: z.union([z.extend(TaskManifest, kind("task")), ExtendingTask]),
  job: z.extend(JobManifest, kind("job")),
});

/** What the reader of manifests takes beside the normal form. */
const lenientSchemas: Readonly<Record<string, (schema: JsonObject) => JsonObject>> = {
  priority: (schema) => ({ anyOf: [schema, { type: "string", pattern: "^\\s*-?\\d+\\s*$" }] }),
  health_check_interval: (schema) => ({
    anyOf: [schema, { type: "string", pattern: "^\\s*\\d+(\\.\\d+)?\\s*$" }],
  }),
  auth: (schema) => ({ anyOf: [schema, { type: ["boolean", "null"] }] }),
};

function withLenientTools(tool: JsonObject): JsonObject {
  const { properties } = tool as { properties: Record<string, JsonObject> };
  const { auth, providers } = properties;
  const spec = (providers as { items: { properties: Record<string, JsonObject> } }).items;
  const numbers = ["priority", "health_check_interval"] as const;
  const lenientNumbers = numbers.map((key) => [
    key,
    lenientSchemas[key]?.(spec.properties[key] ?? {}),
  ]);
  const items = {
    ...spec,
    properties: { ...spec.properties, ...Object.fromEntries(lenientNumbers) },
  };
  const changed = { auth: lenientSchemas.auth?.(auth ?? {}), providers: { ...providers, items } };
  return { ...tool, properties: { ...properties, ...changed } } as JsonObject;
}

/** What an editor needs to complete and check a manifest file: one manifest, a list, or an object of them by name. */
export function manifestSchema(): JsonObject {
  const { properties, $defs } = z.toJSONSchema(Kinds, {
    io: "input",
    unrepresentable: "any",
  }) as JsonObject & {
    properties: JsonObject;
    $defs?: JsonObject;
  };
  const manifest = { anyOf: Object.keys(properties).map((name) => ({ $ref: `#/$defs/${name}` })) };
  const manifestReference = { $ref: "#/$defs/manifest" };
  return {
    title: "Toolplane manifests",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    anyOf: [
      manifestReference,
      { type: "array", items: manifestReference },
      {
        type: "object",
        properties: { $schema: { type: "string" } },
        additionalProperties: manifestReference,
      },
    ],
    $defs: {
      manifest,
      ...properties,
      tool: withLenientTools(properties.tool as JsonObject),
      ...$defs,
    },
  };
}
