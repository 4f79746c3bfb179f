import { z } from "zod";
import type { Outcome as CallOutcome } from "../../model/calls/call.ts";
import { heldOrders, type PlanOutcome as Outcomes } from "../../model/calls/held-call.ts";
import { HeldView } from "../../model/calls/held-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { pageOptions } from "../command-options.ts";
import {
  byCreation,
  Cursor,
  Done,
  defaultPage,
  Limit,
  NextCursor,
  oneOf,
  page,
  pageAfterCursor,
  text,
} from "../fields.ts";
import { operation, pick } from "../operation.ts";
import { shownOutcome } from "../public-errors.ts";
import {
  HeldStatusSchema,
  PlanOutcomeSchema,
  ShownPlan,
  ShownRemembered,
} from "../schemas/held.ts";
import { OutcomeSchema } from "../schemas/outcome.ts";

const tag = "Approvals";
const id = text("The approval's id.");
/** Of arguments that a person changed, the names. */
const answerAudit = (input: object) => ({
  ...pick(input, "decision", "reason", "remember", "ids", "first"),
  edited: Object.keys((pick(input, "arguments").arguments as object | undefined) ?? {}),
});
const planId = text("The plan's id.");

const Remember = z
  .strictObject({
    for: z.enum(["tool", "arguments", "server"]),
    arguments: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: "Globs by argument." }),
    forMs: z.number().positive().optional().meta({ description: "No end when left out." }),
    conversation: z
      .boolean()
      .optional()
      .meta({ description: "Only in the conversation of the call." }),
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
    output: z.object({ remembered: z.array(ShownRemembered), nextCursor: NextCursor }),
    http: { method: "get", path: "/approvals/remembered", tag, answers: { 200: "One page." } },
    cli: {
      command: "approvals remembered",
      about: "answers that you chose to remember",
      options: pageOptions,
      examples: ["approvals remembered"],
    },
    async run(plane, query, asker) {
      const { items: remembered, nextCursor } = pageAfterCursor(
        await plane.approvals.remembered(asker),
        byCreation,
        query,
      );
      return { remembered, nextCursor };
    },
  }),
  operation({
    name: "approvals.forget",
    args: ["id"],
    summary: "Forget a remembered answer",
    scope: "call",
    input: z.object({ id: text("The id of the remembered answer.") }),
    output: Done,
    http: {
      method: "delete",
      path: "/approvals/remembered/{id}",
      tag,
      answers: { 200: "It is asked about again." },
    },
    audit: {},
    cli: {
      command: "approvals forget",
      about: "forget a remembered answer, so that you are asked again",
      arguments: { "<id>": "as 'approvals remembered' shows it" },
      examples: ["approvals forget 3f2a"],
    },
    async run(plane, { id: remembered }, asker) {
      if (await plane.approvals.forget(remembered, asker)) return { ok: true };
      throw new PlaneError("NOT_FOUND", `No answer '${remembered}' of yours is remembered.`);
    },
  }),
  operation({
    name: "approvals.page",
    args: ["..."],
    summary: "Calls that wait for approval, and decided ones; oldest first by default",
    description:
      "Your own, and those of all callers for members of `approvals.approvers` and the scope `admin`.",
    scope: "read",
    input: z.object({
      status: oneOf(["all", ...HeldStatusSchema.options])
        .default("pending")
        .meta({ description: "`all` for what waits and what is over." }),
      order: oneOf(heldOrders).default("oldest").meta({
        description:
          "`pending` is what waits first, then the rest (with `status=all`); both newest first.",
      }),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      approvals: z.array(HeldView),
      total: z.number().int().meta({ description: "All that match, on this page or not." }),
      nextCursor: NextCursor,
    }),
    http: { method: "get", path: "/approvals", tag, answers: { 200: "One page." } },
    cli: {
      command: "approvals list",
      about: "waiting calls: tool, caller and reason",
      options: {
        "--status <status>": "pending (the default), done, rejected, expired …, or all",
        "--all": "the same as --status all",
        "--order <order>":
          "oldest, newest, or pending: waiting ones first, then the rest, newest first",
        ...pageOptions,
      },
      examples: ["approvals list", "approvals list --status rejected --json"],
    },
    run: (plane, { status, order, limit = defaultPage, cursor }, asker) =>
      plane.approvals.page(
        { status: status === "all" ? undefined : status, order, limit, cursor },
        asker,
      ),
  }),
  operation({
    name: "approvals.get",
    args: ["id"],
    summary: "One approval: what would run and why it waits, or how it was decided",
    scope: "read",
    input: z.object({ id }),
    output: HeldView,
    http: { method: "get", path: "/approvals/{id}", tag, answers: { 200: "The approval." } },
    cli: {
      command: "approvals show",
      about: "one approval: the tool, its arguments and why it needs a yes",
      arguments: { "<id>": "the id, or its first characters" },
      examples: ["approvals show 3f2a"],
    },
  }),
  operation({
    name: "approvals.answer",
    args: ["id", "..."],
    summary: "Approve or reject a call",
    description:
      "The first answer counts; later ones are a 409. What was approved runs before this answers.",
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
    output: z.object({ approval: HeldView, outcome: OutcomeSchema.optional() }),
    http: {
      method: "post",
      path: "/approvals/{id}",
      tag,
      body: {
        description: "`arguments` and `remember` go with a yes.",
        example: { decision: "approve", remember: { for: "tool", forMs: 3_600_000 } },
      },
      answers: {
        200: "`outcome` tells how the call went; it is missing where its caller waits for it.",
      },
      hide: ({ approval, outcome }: { approval: HeldView; outcome?: CallOutcome }) => ({
        approval,
        ...(outcome ? { outcome: shownOutcome(outcome) } : {}),
      }),
    },
    audit: {
      input: answerAudit,
      snapshot: async (plane, input, caller) =>
        pick(await plane.approvals.get(input.id, caller), "status", "tool", "answer"),
    },
    cli: {
      command: "approvals approve",
      about: "say yes: the call runs",
      arguments: { "<id>": "the id, or its first characters" },
      options: {
        "--args <json>": {
          about: "run it with these arguments instead; JSON, @FILE, or - for standard input",
          input: "arguments",
        },
        "--reason <text>": "the reason, for the record",
        "--remember <what>": "do not ask again for this: tool, arguments or server",
        "--for <time>": {
          about: "how long to remember it: 30m, 12h, 30d; no end when left out",
          kind: "span",
        },
        "--only-conversation": "remember it in the conversation of the call only",
      },
      examples: ["approvals approve 3f2a", "approvals approve 3f2a --remember tool --for 1h"],
    },
  }),
];

const which = {
  ids: z.array(z.string()).min(1).optional().meta({ description: "Only these changes." }),
  first: z
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ description: "Only this many, from the first." }),
};

/** Changes that were queued instead of made. */
const plans = [
  operation({
    name: "plans.list",
    args: [],
    summary: "Plans, oldest first",
    scope: "read",
    input: z.object(page),
    output: z.object({ plans: z.array(ShownPlan), nextCursor: NextCursor }),
    http: { method: "get", path: "/plans", tag, answers: { 200: "One page." } },
    cli: {
      command: "plan list",
      about: "every plan, newest first",
      examples: ["plan list", "plan list --json"],
    },
    async run(plane, query, asker) {
      const { items: plans, nextCursor } = pageAfterCursor(
        await plane.plans.list(asker),
        byCreation,
        query,
      );
      return { plans, nextCursor };
    },
  }),
  operation({
    name: "plans.get",
    args: ["id"],
    summary: "One plan with its changes",
    scope: "read",
    input: z.object({ id: planId }),
    output: ShownPlan,
    http: { method: "get", path: "/plans/{id}", tag, answers: { 200: "The plan." } },
    cli: {
      command: "plan show",
      about: "the changes in order, with their arguments",
      arguments: {
        "[id]": "the plan's id, or its first characters; the newest that waits when left out",
      },
      examples: ["plan show", "plan show 3f2a --json"],
    },
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
      continueOnFailure: z
        .boolean()
        .optional()
        .meta({ description: "False: the first failure ends it." }),
      arguments: z
        .record(z.string(), AnyObject)
        .optional()
        .meta({ description: "What to run instead of what was queued, by change." }),
    }),
    output: PlanOutcomeSchema,
    http: {
      method: "post",
      path: "/plans/{id}/approve",
      tag,
      body: {
        description: "No body is all of it.",
        example: { first: 2, continueOnFailure: true },
        optional: true,
      },
      answers: { 200: "The plan now, and how each change went." },
      hide: ({ plan, outcomes }: Outcomes) => ({
        plan,
        outcomes: outcomes.map(({ change, outcome }) => ({
          change,
          outcome: outcome && shownOutcome(outcome),
        })),
      }),
    },
    audit: { input: answerAudit },
    cli: {
      command: "plan approve",
      about: "run the waiting changes in order, until one fails",
      arguments: {
        "[id]": "the plan's id, or its first characters; the newest that waits when left out",
      },
      options: {
        "--first <number>": {
          about: "only this many, from the first; the rest keep waiting",
          kind: "count",
        },
        "--change <change>": {
          input: "ids",
          about: "only this one, by its number or its id; repeatable",
          kind: "list",
        },
        "--continue": { about: "continue after a failure", input: "continueOnFailure" },
        "--args <change=json>": {
          input: "arguments",
          about: "run a change with these arguments instead; repeatable",
          kind: "list",
        },
      },
      examples: [
        "plan approve",
        "plan approve --first 1",
        'plan approve --args \'2={"text":"hi"}\'',
      ],
    },
  }),
  operation({
    name: "plans.reject",
    args: ["id", "..."],
    summary: "Reject the waiting changes, or only these",
    scope: "call",
    input: z.object({ id: planId, ...which, reason: z.string().max(2_000).optional() }),
    output: ShownPlan,
    http: {
      method: "post",
      path: "/plans/{id}/reject",
      tag,
      body: {
        description: "No body is all of it.",
        example: { reason: "Not on a Friday." },
        optional: true,
      },
      answers: { 200: "The plan now." },
    },
    audit: { input: answerAudit },
    cli: {
      command: "plan reject",
      about: "reject the waiting changes; none of them runs",
      arguments: {
        "[id]": "the plan's id, or its first characters; the newest that waits when left out",
      },
      options: {
        "--change <change>": {
          input: "ids",
          about: "only this one, by its number or its id; repeatable",
          kind: "list",
        },
        "--reason <text>": "the reason, for the record",
      },
      examples: ["plan reject", "plan reject 3f2a --change 2 --reason 'not that branch'"],
    },
  }),
];

export const approvalOperations = [...approvals, ...plans];
