import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { AnyObject, typed } from "../json-schema.ts";
import { type OverlayView, offerCallKinds, type ToolId, toolImpacts } from "./tool.ts";

/** Programs write ids of tools. */
export const toolIdOf = typed<ToolId>("ToolId").as(
  z.object({
    server: z.string().nullable(),
    tool: z.string(),
    kind: z.enum(offerCallKinds).optional(),
  }),
);

export const ToolImpact = z
  .object({
    impact: z.enum(toolImpacts),
    because: z.string(),
    known: z.boolean().meta({ description: "False where only its name suggests it." }),
  })
  .meta({ id: "ToolImpact", description: "What a call of the tool may do." });
export type ToolImpact = TypeOf<typeof ToolImpact>;

export const SeenDefinition = z.object({
  description: z.string(),
  parameters: AnyObject,
  tokens: z.number().int(),
});
/** A definition for models, and its cost. */
export type SeenDefinition = TypeOf<typeof SeenDefinition>;

/** An overlay is written with `undefined` for what it leaves alone. */
export const OverlayShown = typed<OverlayView>("OverlayView")
  .as(
    z.object({
      tool: z.string(),
      source: z
        .enum(["stored", "config"])
        .nullable()
        .meta({ description: "Where it comes from; null where there is none." }),
      overlay: z.record(z.string(), z.unknown()).meta({
        description:
          "As `PUT /tools/{name}` takes it. Fixed values are `«hidden»`; given back so, they stay.",
      }),
      listed: SeenDefinition.meta({ description: "What a model would see without it." }),
      seen: SeenDefinition.meta({ description: "What a model sees with it." }),
      tokenizer: z.string(),
      warnings: z.array(z.string()),
    }),
  )
  .meta({ id: "OverlayView" });
