import type * as z from "zod/mini";
import { ToolManifest, ToolOverlay } from "../../model/catalogue/tool.ts";
import { ConfigValues, ToolsetDefinition } from "../../model/config/config.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import type { Tree } from "./reading.ts";

/** Objects and records that are settings as a whole, by their place in the normal form. */
const wholeValues: readonly string[] = ["policy.effects", "personas.*.flags", "auth.jwt.claims"];

type Definition = {
  innerType?: z.core.$ZodType;
  shape?: Readonly<Record<string, z.core.$ZodType>>;
  valueType?: z.core.$ZodType;
};

/** How far a schema takes its value apart: into the keys of an object, and the entries of a record. */
function treeOf(schema: z.core.$ZodType, path = ""): Tree {
  const { innerType, shape, valueType } = schema._zod.def as Definition;
  if (innerType !== undefined) return treeOf(innerType, path);
  if (wholeValues.includes(path)) return {};
  if (valueType !== undefined) return { "*": treeOf(valueType, `${path}.*`) };
  const branches = Object.entries(shape ?? {}).map(([key, inner]) => {
    return [key, treeOf(inner, path === "" ? key : `${path}.${key}`)] as const;
  });
  return Object.fromEntries(branches);
}

export const serverTree: Tree = treeOf(ServerDefinition);
export const toolsetTree: Tree = treeOf(ToolsetDefinition);
export const toolKeys: readonly string[] = Object.keys(ToolManifest.shape);
export const overlayKeys: readonly string[] = Object.keys(ToolOverlay.shape);

const { servers: _, tools: __, overlays: ___, ...sections } = treeOf(ConfigValues);

/** The sections of the normal form beside servers and tools. */
export const sectionTrees: Readonly<Record<string, Tree>> = {
  ...sections,
  // Read apart.
  hooks: { "*": {} },
};
