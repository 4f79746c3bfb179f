import { z } from "zod";
import type { CallOptions } from "../../model/calls/call.ts";
import type { UnknownObject } from "../../model/json.ts";

const names = z.array(z.string());

/** What a call may say about what it means to use. It can only be less than what its caller may. */
export const AccessOptions = {
  toolGroups: z
    .union([z.literal("*"), names])
    .optional()
    .meta({ description: "The tool groups to use; `default` when left out, `*` for all." }),
  state: z.string().optional().meta({ description: "The state that an agent is in." }),
  compliance: z
    .string()
    .optional()
    .meta({ description: "A level of data to keep to beside the caller's own." }),
  mcp: z.union([z.boolean(), names]).optional().meta({
    description: "The servers of a sub-agent: all of the caller's, none, or these of them.",
  }),
};

/** As they came: whether they make sense is found out where they count. */
export function accessOptionsIn(body: UnknownObject): CallOptions {
  const givenNames = Object.keys(AccessOptions).filter((name) => body[name] !== undefined);
  return Object.fromEntries(givenNames.map((name) => [name, body[name]]));
}
