import { z } from "zod";
import type { TypeOf } from "../json.ts";

export const CodeSearch = z
  .object({
    query: z.string(),
    total: z.number().int(),
    declarations: z.string().meta({ description: "TypeScript, best first." }),
    tools: z
      .array(z.object({ call: z.string(), name: z.string(), summary: z.string() }))
      .meta({ description: "`tools.server.tool`, in the same order." }),
    note: z.string().optional(),
  })
  .meta({ id: "CodeSearch", description: "Tools as declarations." });
export type CodeSearch = TypeOf<typeof CodeSearch>;

export const GeneratedFile = z
  .object({
    path: z.string().meta({ description: "Its name." }),
    text: z.string(),
    isExecutable: z.literal(true).optional(),
  })
  .meta({ description: "A generated file." });
export type GeneratedFile = TypeOf<typeof GeneratedFile>;
