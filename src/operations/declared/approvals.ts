import { z } from "zod";
import type { PolicyRule } from "../../model/access/policy.ts";
import { type Outcome as CallOutcome, policyModes } from "../../model/calls/call.ts";
import { type HeldView, heldOrders, type PlanOutcome as Outcomes } from "../../model/calls/held-call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
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
} from "../fields.ts";
import { filesOnly, operation, pick } from "../operation.ts";
import { Approval, HeldStatus, Plan, PlanOutcome, Remembered } from "../schemas/held.ts";
import { Outcome } from "../schemas/outcome.ts";
import { PolicyPreview, PolicyRules, PolicyVerdict, PolicyView, policyFaces, ruleList } from "../schemas/policy.ts";
import { shownOutcome } from "../strangers.ts";
import { setupIn, withoutPath } from "./setup.ts";

const tag = "Approvals";
const id = text("The approval's id.");
/** Of arguments that a person changed, the names. */
const answered = (input: object) => ({
  ...pick(input, "decision", "reason", "remember", "ids", "first"),
  edited: Object.keys((pick(input, "arguments").arguments as object | undefined) ?? {}),
});
const planId = text("The plan's id.");

const Remember = z
  .strictObject({
    for: z.enum(["tool", "arguments", "server"]),
    arguments: z.record(z.string(), z.string()).optional().meta({ description: "Globs by argument." }),
    forMs: z.number().positive().optional().meta({ description: "No end when left out." }),
    conversation: z.boolean().optional().meta({ description: "Only in the conversation of the call." }),
  })
  .meta({ description: "Do not ask again about calls like this." });

/** Calls that wait for a person's yes, and the answers that are remembered. */
const approvals = [
  operation({
    name: "approvals.remembered",
    args: [],
    summary: "Remembered answers, which cover more than one call",
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
    summary: "Forget a remembered answer",
    scope: "call",
    input: z.object({ id: text("The id of the remembered answer.") }),
    output: Done,
    http: { method: "delete", path: "/approvals/remembered/{id}", tag, answers: { 200: "It is asked about again." } },
    audit: {},
    cli: { command: "approvals forget" },
    async run(plane, { id: remembered }, asker) {
      if (await plane.approvals.forget(remembered, asker)) return { ok: true };
      throw new PlaneError("NOT_FOUND", `No answer '${remembered}' of yours is remembered.`);
    },
  }),
  operation({
    name: "approvals.page",
    args: ["..."],
    summary: "Calls that wait for approval, and decided ones; oldest first by default",
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
    summary: "One approval: what would run and why it waits, or how it was decided",
    scope: "read",
    input: z.object({ id }),
    output: Approval,
    http: { method: "get", path: "/approvals/{id}", tag, answers: { 200: "The approval." } },
    cli: { command: "approvals show" },
  }),
  operation({
    name: "approvals.answer",
    args: ["id", "..."],
    summary: "Approve or reject a call",
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
    audit: {
      input: answered,
      look: async (plane, input, caller) =>
        pick(await plane.approvals.get(input.id, caller), "status", "tool", "answer"),
    },
    cli: { command: "approvals approve" },
  }),
];

const which = {
  ids: z.array(z.string()).min(1).optional().meta({ description: "Only these changes." }),
  first: z.number().int().min(1).optional().meta({ description: "Only this many, from the first." }),
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
    summary: "Run the waiting changes in order",
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
    audit: { input: answered },
    cli: { command: "plan approve" },
  }),
  operation({
    name: "plans.reject",
    args: ["id", "..."],
    summary: "Reject the waiting changes, or only these",
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
    audit: { input: answered },
    cli: { command: "plan reject" },
  }),
];

const example = { tool: "git.push", verdict: "ask", reason: "pushes are looked at" };

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
    summary: "The policy's verdict on a call, without making it",
    scope: "read",
    input: z.object({
      tool: z.string("say which tool").min(1, "say which tool"),
      arguments: AnyObject.optional(),
      face: oneOf(policyFaces).optional().meta({
        description: "The face the call would come through; the one of this request when left out.",
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
  operation({
    name: "policy.preview",
    args: ["rules"],
    summary: "Which verdicts on the last hundred calls other rules would change",
    description:
      "Nothing is changed. Rules of other files count as they do now. Where arguments are not kept, conditions on them match nothing.",
    scope: "admin",
    input: z.object({ rules: ruleList }),
    output: PolicyPreview,
    http: {
      method: "post",
      path: "/policy/preview",
      tag,
      open: true,
      body: { description: "The rules.", example: { rules: [example] } },
      answers: { 200: "What would be different." },
    },
    cli: { command: "policy preview" },
    async run(plane, { rules }, asker, { setup }) {
      const given = { rules: rules as unknown as PolicyRule[], warnings: [] };
      const tried = setup ? await setup.tryRules(rules as JsonObject[]).catch(withoutPath) : given;
      return { ...(await plane.policy.preview(tried.rules, asker)), warnings: tried.warnings };
    },
  }),
  operation({
    name: "policy.rules",
    args: [],
    summary: "The policy rules as written in the file",
    description: "Of several files with rules, the last: it is the one that is changed.",
    scope: "admin",
    input: z.object({}),
    output: PolicyRules,
    http: { method: "get", path: "/policy/rules", tag, answers: { 200: "The rules and their revision." } },
    cli: { command: "config explain" },
    socket: filesOnly,
    needsSetup: true,
    run: (_plane, _input, _asker, situation) => setupIn(situation).writtenRules().catch(withoutPath),
  }),
  operation({
    name: "policy.save",
    args: [],
    summary: "Write the policy rules into the configuration file",
    description:
      "Comments stay with their rule. Refused with `CONFLICT` where the rules of the file were changed since `revision`.",
    scope: "admin",
    input: z.object({
      rules: ruleList,
      revision: z.string().meta({ description: "As `GET /policy/rules` gave it." }),
    }),
    output: PolicyRules.extend({ warnings: z.array(z.string()) }).meta({ id: "SavedRules" }),
    http: {
      method: "put",
      path: "/policy/rules",
      tag,
      body: { description: "The rules.", example: { rules: [example], revision: "9f2c41d07a3be851" } },
      answers: { 200: "The rules as they are written now." },
    },
    cli: { command: "policy save" },
    socket: filesOnly,
    needsSetup: true,
    audit: { target: () => "policy.rules", input: (input) => input, look: (plane) => plane.config().policy.rules },
    async run(plane, { rules, revision }, asker, situation) {
      const saved = await setupIn(situation)
        .saveRules(rules as JsonObject[], revision)
        .catch(withoutPath);
      await plane.reload(asker);
      return saved;
    },
  }),
];

export const approvalOperations = [...approvals, ...plans, ...policy];
