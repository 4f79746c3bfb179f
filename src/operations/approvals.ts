import { z } from "zod";
import { Policy as PolicySettings } from "../model/access/policy.ts";
import { type Outcome as CallOutcome, policyModes } from "../model/calls/call.ts";
import { type HeldView, heldOrders, type PlanOutcome as Outcomes } from "../model/calls/held-call.ts";
import { PlaneError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import {
  AnyObject,
  byCreation,
  Cursor,
  Done,
  defaultPage,
  Limit,
  NextCursor,
  oneOf,
  page,
  takePage,
  text,
} from "./fields.ts";
import { operation } from "./operation.ts";
import { Approval, HeldStatus, Plan, PlanOutcome, Remembered } from "./schemas/held.ts";
import { Outcome } from "./schemas/outcome.ts";
import { shownOutcome } from "./strangers.ts";

const tag = "Approvals";
const id = text("The approval's id.");
const planId = text("The plan's id.");

const Remember = z
  .strictObject({
    for: z.enum(["tool", "arguments", "server"]),
    arguments: z.record(z.string(), z.string()).optional().meta({ description: "Globs by argument." }),
    forMs: z.number().positive().optional().meta({ description: "For good when left out." }),
    conversation: z.boolean().optional().meta({ description: "Only in the conversation of the call." }),
  })
  .meta({ description: "Do not ask again about calls like this." });

/** Calls that wait for a person's yes, and the answers that are remembered. */
const approvals = [
  operation({
    name: "approvals.remembered",
    args: [],
    summary: "Your answers that are good for more than one call",
    scope: "read",
    input: z.object(page),
    output: z.object({ remembered: z.array(Remembered), nextCursor: NextCursor }),
    http: { method: "get", path: "/approvals/remembered", tag, answers: { 200: "One page." } },
    cli: { command: "approvals remembered" },
    async run(plane, query, asker) {
      const { items, nextCursor } = takePage(await plane.approvals.remembered(asker), byCreation, query);
      return { remembered: items, nextCursor };
    },
  }),
  operation({
    name: "approvals.forget",
    args: ["id"],
    summary: "Ask again about calls like that",
    scope: "call",
    input: z.object({ id: text("The id of the remembered answer.") }),
    output: Done,
    http: { method: "delete", path: "/approvals/remembered/{id}", tag, answers: { 200: "It is asked about again." } },
    cli: { command: "approvals forget" },
    async run(plane, { id: remembered }, asker) {
      if (await plane.approvals.forget(remembered, asker)) return { ok: true };
      throw new PlaneError("NOT_FOUND", `No answer '${remembered}' of yours is remembered.`);
    },
  }),
  operation({
    name: "approvals.page",
    args: ["..."],
    summary: "Calls that wait for a person's yes, or what became of others; oldest first by default",
    description: "Your own, and those of all callers for members of `approvals.approvers` and the scope `admin`.",
    scope: "read",
    input: z.object({
      status: oneOf(["all", ...HeldStatus.options])
        .default("pending")
        .meta({ description: "`all` for what waits and what is over." }),
      order: oneOf(heldOrders)
        .default("oldest")
        .meta({ description: "`pending` is what waits first, then the rest (with `status=all`); both newest first." }),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      approvals: z.array(Approval),
      total: z.number().int().meta({ description: "All that match, on this page or not." }),
      nextCursor: NextCursor,
    }),
    http: { method: "get", path: "/approvals", tag, answers: { 200: "One page." } },
    cli: { command: "approvals list" },
    run: (plane, { status, order, limit = defaultPage, cursor }, asker) =>
      plane.approvals.page({ status: status === "all" ? undefined : status, order, limit, cursor }, asker),
  }),
  operation({
    name: "approvals.get",
    args: ["id"],
    summary: "One of them: what would run and why it is asked about, or what became of it",
    scope: "read",
    input: z.object({ id }),
    output: Approval,
    http: { method: "get", path: "/approvals/{id}", tag, answers: { 200: "The approval." } },
    cli: { command: "approvals show" },
  }),
  operation({
    name: "approvals.answer",
    args: ["id", "..."],
    summary: "Say yes or no",
    description: "The first answer counts; later ones are a 409. What was approved runs before this answers.",
    scope: "call",
    input: z.object({
      id,
      decision: z.enum(["approve", "reject"]),
      arguments: AnyObject.optional().meta({
        description: "Run it with these instead; they are checked like those of any call.",
      }),
      reason: z.string().max(2_000).optional(),
      remember: Remember.optional(),
    }),
    output: z.object({ approval: Approval, outcome: Outcome.optional() }),
    http: {
      method: "post",
      path: "/approvals/{id}",
      tag,
      body: {
        description: "`arguments` and `remember` go with a yes.",
        example: { decision: "approve", remember: { for: "tool", forMs: 3_600_000 } },
      },
      answers: { 200: "`outcome` tells how the call went; it is missing where its caller waits for it." },
      show: ({ approval, outcome }: { approval: HeldView; outcome?: CallOutcome }) => ({
        approval,
        ...(outcome ? { outcome: shownOutcome(outcome) } : {}),
      }),
    },
    cli: { command: "approvals approve" },
  }),
];

const which = {
  ids: z.array(z.string()).min(1).optional().meta({ description: "Only these changes." }),
  first: z.number().int().min(1).optional().meta({ description: "Only the first so many." }),
};

/** Changes that were queued instead of made. */
const plans = [
  operation({
    name: "plans.list",
    args: [],
    summary: "Plans, oldest first",
    scope: "read",
    input: z.object(page),
    output: z.object({ plans: z.array(Plan), nextCursor: NextCursor }),
    http: { method: "get", path: "/plans", tag, answers: { 200: "One page." } },
    cli: { command: "plan list" },
    async run(plane, query, asker) {
      const { items, nextCursor } = takePage(await plane.plans.list(asker), byCreation, query);
      return { plans: items, nextCursor };
    },
  }),
  operation({
    name: "plans.get",
    args: ["id"],
    summary: "One plan with its changes",
    scope: "read",
    input: z.object({ id: planId }),
    output: Plan,
    http: { method: "get", path: "/plans/{id}", tag, answers: { 200: "The plan." } },
    cli: { command: "plan show" },
  }),
  operation({
    name: "plans.approve",
    args: ["id", "..."],
    summary: "Run what waits, in order",
    description: "All of it, the changes of these ids, or the first few; the rest goes on waiting.",
    scope: "call",
    input: z.object({
      id: planId,
      ...which,
      continueOnFailure: z.boolean().optional().meta({ description: "False: the first failure ends it." }),
      arguments: z
        .record(z.string(), AnyObject)
        .optional()
        .meta({ description: "What to run instead of what was queued, by change." }),
    }),
    output: PlanOutcome,
    http: {
      method: "post",
      path: "/plans/{id}/approve",
      tag,
      body: { description: "No body is all of it.", example: { first: 2, continueOnFailure: true }, optional: true },
      answers: { 200: "The plan now, and how each change went." },
      show: ({ plan, outcomes }: Outcomes) => ({
        plan,
        outcomes: outcomes.map(({ change, outcome }) => ({ change, outcome: outcome && shownOutcome(outcome) })),
      }),
    },
    cli: { command: "plan approve" },
  }),
  operation({
    name: "plans.reject",
    args: ["id", "..."],
    summary: "Do none of what waits, or not these changes",
    scope: "call",
    input: z.object({ id: planId, ...which, reason: z.string().max(2_000).optional() }),
    output: Plan,
    http: {
      method: "post",
      path: "/plans/{id}/reject",
      tag,
      body: { description: "No body is all of it.", example: { reason: "Not on a Friday." }, optional: true },
      answers: { 200: "The plan now." },
    },
    cli: { command: "plan reject" },
  }),
];

const faces = ["library", "cli", "http", "workbench", "mcp", "agent"] as const;
const verdicts = PolicySettings.shape.rules.def.innerType.def.element.shape.verdict.options;

export const PolicyView = z
  .object({
    profile: z.enum(["personal", "guarded", "strict"]).meta({ description: "The one in force." }),
    isDefault: z.boolean().meta({ description: "True where the configuration names no profile." }),
    mode: z.enum(policyModes),
    rules: z
      .array(z.looseObject({ verdict: z.enum(verdicts), reason: z.string().optional() }))
      .meta({ description: "In the order in which they are asked; the first that fits decides." }),
    effects: z
      .record(z.string(), z.enum(["read", "write"]))
      .meta({ description: "What tools do, as the operator says, by glob." }),
  })
  .meta({ id: "Policy" });

export const PolicyVerdict = z
  .object({
    verdict: z.enum(verdicts),
    origin: z.string(),
    reason: z.string(),
    rule: z
      .number()
      .int()
      .optional()
      .meta({ description: "Which of `rules` decided, counted without those that have `from`." }),
    from: z.string().optional().meta({ description: "The key that made the rule." }),
    tool: z.string(),
    effect: z.object({ effect: z.enum(["read", "write", "unknown"]), because: z.string() }),
  })
  .meta({ id: "PolicyVerdict" });

/** What is asked about, and why. */
const policy = [
  operation({
    name: "policy.show",
    args: [],
    summary: "The policy in force",
    scope: "admin",
    input: z.object({}),
    output: PolicyView,
    http: { method: "get", path: "/policy", tag, answers: { 200: "Profile, mode and rules." } },
    cli: { missing: "`config show` shows it with the rest of the configuration" },
    socket: { missing: "`config` has it" },
    async run(plane) {
      const { profile, mode, rules, effects } = plane.config().policy;
      const usual = (await plane.identity.needsCredentials()) ? "guarded" : "personal";
      return { profile: profile ?? usual, isDefault: profile === null, mode, rules, effects };
    },
  }),
  operation({
    name: "policy.test",
    args: ["tool", "arguments"],
    summary: "What the policy would say to a call of yours, without making it",
    scope: "read",
    input: z.object({
      tool: z.string("say which tool").min(1, "say which tool"),
      arguments: AnyObject.optional(),
      face: oneOf(faces).optional().meta({
        description: "Through which face the call would come; the one that asks when left out.",
      }),
      mode: oneOf(policyModes).optional(),
    }),
    output: PolicyVerdict,
    http: {
      method: "post",
      path: "/policy/test",
      tag,
      open: true,
      body: { description: "The call.", example: { tool: "demo.greet", arguments: { name: "Ann" } } },
      answers: { 200: "The verdict and who gave it." },
    },
    cli: { command: "policy test" },
    run: (plane, { tool, arguments: args = {}, face, mode }, asker) =>
      plane.policy.test(tool, args as JsonObject, {
        ...asker,
        ...(face ? { face } : {}),
        ...(mode ? { mode } : {}),
      }),
  }),
];

export const approvalOperations = [...approvals, ...plans, ...policy];
