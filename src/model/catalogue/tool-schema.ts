import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { typed } from "../json-schema.ts";
import { offerCallKinds, type ToolId, toolImpacts } from "./tool.ts";

/** Programs write ids of tools. */
export const toolIdOf = typed<ToolId>("ToolId").as(
  z.object({ server: z.string().nullable(), tool: z.string(), kind: z.enum(offerCallKinds).optional() }),
);

export const ToolImpact = z
  .object({
    impact: z.enum(toolImpacts),
    because: z.string(),
    known: z.boolean().meta({ description: "False where only its name suggests it." }),
  })
  .meta({ id: "ToolImpact", description: "What a call of the tool may do." });
export type ToolImpact = TypeOf<typeof ToolImpact>;
