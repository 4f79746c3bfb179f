import * as z from "zod/mini";
import { ToolManifest } from "../model/catalogue/tool.ts";
import { ConfigValues } from "../model/config/config.ts";
import { isObject, type JsonObject } from "../model/json.ts";
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
  for (const [name, inner] of Object.entries(
    isObject(schema.properties) ? schema.properties : {},
  )) {
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

const also = {
  $schema: z.optional(z.string()),
  owner: z.optional(z.nullable(z.string())),
};
const kind = <const K extends string>(name: K) => ({ ...also, kind: z.optional(z.literal(name)) });

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
  const one = { $ref: "#/$defs/manifest" };
  return {
    title: "Toolplane manifests",
    $schema: "https://json-schema.org/draft/2020-12/schema",
    anyOf: [
      one,
      { type: "array", items: one },
      { type: "object", properties: { $schema: { type: "string" } }, additionalProperties: one },
    ],
    $defs: { manifest, ...properties, ...$defs },
  };
}
