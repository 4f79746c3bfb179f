import { z } from "zod";
import type { CallFilterName } from "../../model/calls/call-history.ts";
import { CallStatus } from "../../model/calls/call-schema.ts";
import { oneOf } from "../fields.ts";

export const ownOnly = "Your own; those of all callers with the scope `admin`.";
export const user = z
  .string()
  .optional()
  .meta({ description: "Only those of this user; others than yourself for admins." });

const amount = (description: string) => z.coerce.number().min(0).optional().meta({ description });

/** What calls are found by. */
export const callFilters = {
  tool: z.string().optional().meta({ description: "Calls of the tool of exactly this name." }),
  match: z
    .string()
    .optional()
    .meta({ description: "Calls of tools with this in their names, in any case." }),
  server: z.string().optional().meta({ description: "Calls that this server answered." }),
  status: oneOf(CallStatus.options).optional(),
  since: z.string().optional().meta({
    description:
      "Calls that began on this day or at this moment, or later; they are sorted by their beginning.",
  }),
  until: z
    .string()
    .optional()
    .meta({ description: "Calls that began before this moment, or up to the end of this day." }),
  minMs: amount("Calls that took at least this many milliseconds."),
  maxMs: amount("Calls that took at most this many milliseconds."),
  minCost: amount("Calls that cost at least this much, in whatever unit."),
  user,
  run: z.string().optional().meta({ description: "Calls of this run of an agent." }),
  conversation: z.string().optional().meta({ description: "Calls of this conversation." }),
} satisfies Record<CallFilterName, z.ZodType>;

export const callFilterOptions = {
  "--tool <name>": "only calls of this tool, by its exact name",
  "--match <text>": "only calls of tools with this in their names",
  "--server <name>": "only calls that this server answered",
  "--status <status>":
    "only this status: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run",
  "--since <time>": "only calls that began on this day or at this moment, or later",
  "--until <time>": "only calls that began before this moment, or up to the end of this day",
  "--min-ms <number>": { about: "only calls that took at least this long", kind: "ms" },
  "--max-ms <number>": { about: "only calls that took at most this long", kind: "ms" },
  "--min-cost <number>": {
    about: "only calls that cost at least this much, in whatever unit",
    kind: "seconds",
  },
  "--run <id>": "only calls of this agent run",
  "--conversation <id>": "only calls of this conversation",
} as const;
