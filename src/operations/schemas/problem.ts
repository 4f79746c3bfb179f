import { z } from "zod";
import { errorTable } from "../../model/errors.ts";
import { Category, ErrorCodeSchema } from "../../model/errors-schema.ts";

/** RFC 9457 with our code. */
export const Problem = z
  .object({
    type: z.string().meta({ example: "urn:toolplane:error:TOOL_NOT_FOUND" }),
    title: z.string().meta({ description: "What the code means, always the same." }),
    status: z.number().int(),
    detail: z.string().meta({ description: "What happened this time, and what to do about it." }),
    code: ErrorCodeSchema,
    category: Category,
    recoverable: z.boolean(),
    server: z.string().nullable(),
    tool: z.string().nullable(),
    attempts: z.number().int(),
    cause: z.string().nullable(),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: "`parameter` names a wrong parameter." }),
  })
  .meta({
    id: "Problem",
    example: {
      type: "urn:toolplane:error:TOOL_NOT_FOUND",
      title: errorTable.TOOL_NOT_FOUND.means,
      status: 404,
      detail: "No tool 'gti_status'. Did you mean 'git_status'?",
      code: "TOOL_NOT_FOUND",
      category: "validation",
      recoverable: false,
      server: null,
      tool: "gti_status",
      attempts: 0,
      cause: null,
      data: {},
    },
  });
