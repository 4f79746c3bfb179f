import { deadLetterStatuses } from "@toolplane/core/model/work/dead-letter";
import { DeadLetter } from "@toolplane/core/model/work/dead-letter-schema";
import { pageOptions } from "@toolplane/core/operations/command-options";
import {
  Cursor,
  Done,
  defaultPage,
  Limit,
  NextCursor,
  oneOf,
  text,
} from "@toolplane/core/operations/fields";
import { type Audit, operation, pick } from "@toolplane/core/operations/operation";
import { OutcomeSchema } from "@toolplane/core/operations/schemas/outcome";
import { z } from "zod";

const tag = "Dead letters";
const id = text("The entry's id.");
const snapshot: Audit<{ id: string }>["snapshot"] = async (plane, entry, caller) =>
  pick(await plane.deadLetters.get(entry.id, caller), "status", "hold", "tool", "callId");

const decisions = { resolve: "Mark it resolved", abandon: "Do not retry it" } as const;

/** Calls that failed permanently: the caller's own, or all with the scope `admin`. */
export const deadLetterOperations = [
  operation({
    name: "deadLetters.page",
    args: ["..."],
    summary: "Calls that failed permanently, newest first",
    description: "Your own; those of all callers with the scope `admin`.",
    scope: "read",
    input: z.object({
      status: oneOf(deadLetterStatuses).optional(),
      tool: z.string().optional(),
      server: z.string().optional(),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      total: z.number().int(),
      byStatus: z.record(z.string(), z.number().int()),
      deadLetters: z.array(DeadLetter),
      nextCursor: NextCursor,
    }),
    http: { method: "get", path: "/dead-letters", tag, answers: { 200: "One page." } },
    cli: {
      command: "dead-letters list",
      about: "failed calls, their status and what you can do",
      options: {
        "--status <status>": "only this status: pending, retrying, resolved or abandoned",
        "--tool <name>": "only calls of this tool",
        "--server <name>": "only calls of this server's tools",
        ...pageOptions,
      },
      examples: ["dead-letters list", "dead-letters list --status pending --json"],
    },
    run: (plane, { limit = defaultPage, ...query }, asker) =>
      plane.deadLetters.page({ ...query, limit } as object, asker),
  }),
  operation({
    name: "deadLetters.get",
    args: ["id"],
    summary: "One dead letter",
    scope: "read",
    input: z.object({ id }),
    output: DeadLetter,
    http: { method: "get", path: "/dead-letters/{id}", tag, answers: { 200: "The entry." } },
    cli: {
      command: "dead-letters show",
      about: "one dead letter: the call, the error and its history",
      arguments: { "<id>": "the id, or its first characters" },
      examples: ["dead-letters show 3f2a"],
    },
  }),
  operation({
    name: "deadLetters.retry",
    args: ["id"],
    summary: "Make the call again, along the whole path",
    scope: "call",
    input: z.object({ id }),
    output: OutcomeSchema,
    http: {
      method: "post",
      path: "/dead-letters/{id}/retry",
      tag,
      cancels: true,
      answers: {
        200: "The tool answered; `ok` is false when it reported an error.",
        202: "A person has to say yes first.",
      },
    },
    audit: { snapshot },
    cli: {
      command: "dead-letters retry",
      about: "make the call again, as its first caller",
      arguments: { "[id]": "the id, or its first characters" },
      options: {
        "--all": { about: "every pending one that cannot have run already", default: false },
      },
      examples: ["dead-letters retry 3f2a", "dead-letters retry --all"],
    },
  }),
  ...(["resolve", "abandon"] as const).map((verb) =>
    operation({
      name: `deadLetters.${verb}`,
      args: ["id", "..."],
      summary: decisions[verb],
      scope: "call",
      input: z.object({ id, note: z.string().optional() }),
      output: DeadLetter,
      http: {
        method: "post",
        path: `/dead-letters/{id}/${verb}`,
        tag,
        body: {
          description: "Why, for later readers.",
          example: { note: "Sent by hand." },
          optional: true,
        },
        answers: { 200: "The entry now." },
      },
      audit: { snapshot, input: (input) => pick(input, "note") },
      cli: {
        command: `dead-letters ${verb}`,
        about: verb === "resolve" ? "mark resolved" : "give it up: it is not retried automatically",
        arguments: { "<id>": "the id, or its first characters" },
        options: {
          "--note <text>":
            verb === "resolve" ? "how it was resolved" : "the reason, for the record",
        },
        examples: [
          verb === "resolve"
            ? "dead-letters resolve 3f2a --note 'sent by hand'"
            : "dead-letters abandon 3f2a",
        ],
      },
    }),
  ),
  operation({
    name: "deadLetters.delete",
    args: ["id"],
    summary: "Delete a dead letter",
    scope: "call",
    input: z.object({ id }),
    output: Done,
    returns: z.boolean(),
    note: "True when there was one.",
    http: {
      method: "delete",
      path: "/dead-letters/{id}",
      tag,
      answers: { 200: "`ok` is false when there was none." },
      show: (ok: boolean) => ({ ok }),
    },
    audit: { snapshot },
    cli: {
      command: "dead-letters delete",
      about: "delete it, with its arguments",
      arguments: { "<id>": "the id, or its first characters" },
      examples: ["dead-letters delete 3f2a"],
    },
  }),
  operation({
    name: "deadLetters.restore",
    args: ["id"],
    summary: "Undo the deletion of a dead letter",
    description: "The plane that deleted it can, until it ends.",
    scope: "call",
    input: z.object({ id }),
    output: DeadLetter,
    http: {
      method: "post",
      path: "/dead-letters/{id}/restore",
      tag,
      answers: { 200: "The entry." },
    },
    audit: { snapshot },
    cli: { missing: "a command ends with what it deleted" },
  }),
];
