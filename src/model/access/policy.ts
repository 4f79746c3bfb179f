import * as z from "zod/mini";
import { policyModes } from "../calls/call.ts";
import { SideEffects } from "../catalogue/tool.ts";

const texts = z.array(z.string());

/** A glob, or a linear-time pattern found anywhere in the argument. */
const ArgumentPattern = z.union([z.string(), z.strictObject({ regex: z.string() })]);

const clock = z
  .string()
  .check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time such as 09:30"));
const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

/** Across midnight where the second is earlier. */
const TimeWindow = z.strictObject({
  from: z._default(clock, "00:00"),
  to: z._default(clock, "00:00"),
  days: z.optional(z.array(z.enum(weekdays))),
  timezone: z._default(z.string(), "UTC"),
});
export type TimeWindow = z.infer<typeof TimeWindow>;

export const PolicyRule = z.strictObject({
  tool: z.optional(z.string()),
  server: z.optional(z.string()),
  side_effects: z.optional(z.array(SideEffects)),
  effects: z.optional(z.array(z.enum(["read", "write", "unknown"]))),
  risk: z.optional(z.array(z.enum(["low", "medium", "high"]))),
  users: z.optional(texts),
  groups: z.optional(texts),
  personas: z.optional(texts),
  faces: z.optional(z.array(z.enum(["library", "cli", "http", "workbench", "mcp", "agent"]))),
  /** True: calls of pages of MCP Apps only. False: all others. */
  pages: z.optional(z.boolean()),
  arguments: z.optional(z.record(z.string(), ArgumentPattern)),
  time: z.optional(TimeWindow),
  verdict: z.enum(["allow", "ask", "queue", "deny"]),
  reason: z.optional(z.string()),
  /** The key that made it, where that is not `policy.rules`; it has no number. */
  from: z.optional(z.string()),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

export const Policy = z.strictObject({
  /** Null: personal while callers need not authenticate, guarded from then on. */
  profile: z._default(z.nullable(z.enum(["personal", "guarded", "strict"])), null),
  mode: z._default(z.enum(policyModes), "build"),
  rules: z._default(z.array(PolicyRule), []),
  /** Must tools of high risk run on isolated servers? Default: in the strict profile. */
  isolation: z.optional(z.enum(["off", "required"])),
  /** Every call that is not refused waits for a person. */
  askAlways: z.optional(z.boolean()),
  /** The same of calls that no rule decides. */
  askByDefault: z.optional(z.boolean()),
  effects: z._default(z.record(z.string(), z.enum(["read", "write"])), {}),
});
export type Policy = z.infer<typeof Policy>;
