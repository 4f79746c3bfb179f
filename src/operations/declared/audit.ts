import { z } from "zod";
import { AuditCheck, AuditRecord } from "../../model/audit-schema.ts";
import { pageOptions } from "../command-options.ts";
import { Cursor, defaultPage, Limit, NextCursor, text } from "../fields.ts";
import { operation } from "../operation.ts";

const tag = "Audit";

/** The record of everything that changed something. */
export const auditOperations = [
  operation({
    name: "audit.list",
    args: ["..."],
    summary: "Changes: what, by whom and from where, newest first",
    scope: "admin",
    input: z.object({
      operation: z
        .string()
        .optional()
        .meta({ description: "Only this verb, such as `keys.create`." }),
      target: z.string().optional().meta({ description: "Only what was done to this." }),
      user: z.string().optional().meta({ description: "Only what this user did." }),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ records: z.array(AuditRecord), nextCursor: NextCursor }),
    http: { method: "get", path: "/audit", tag, answers: { 200: "One page." } },
    cli: {
      command: "audit list",
      about: "keys, configuration, servers, entries, approvals, pins, jobs and more, newest first",
      options: {
        "--operation <name>": "only this verb, such as keys.create",
        "--target <name>": "only what was done to this key, server, tool or job",
        "--by <user>": { about: "only what this user did", input: "user" },
        ...pageOptions,
      },
      examples: ["audit list", "audit list --by ann --limit 20"],
    },
    async run(plane, { limit = defaultPage, cursor, ...filter }, asker) {
      const before = cursor === undefined ? {} : { before: cursor };
      const recordsAndNext = await plane.audit.list(
        { ...(filter as object), ...before, limit: limit + 1 },
        asker,
      );
      const records = recordsAndNext.slice(0, limit);
      return {
        records,
        nextCursor: recordsAndNext.length > limit ? (records.at(-1)?.id ?? null) : null,
      };
    },
  }),
  operation({
    name: "audit.verify",
    args: ["..."],
    summary: "Check the hash chains of changes and calls",
    description: "Reads every record of that time, and the roots over all chains.",
    scope: "admin",
    input: z.object({
      head: z.string().optional().meta({ description: "A hash of an earlier check." }),
      root: z
        .string()
        .optional()
        .meta({ description: "A root that was kept: its hash, or exported lines." }),
      key: z.string().optional().meta({
        description:
          "The public keys that may have signed the roots, as base64, with commas between them.",
      }),
      since: z
        .string()
        .optional()
        .meta({ description: "Only records of this day or moment and later." }),
      until: z
        .string()
        .optional()
        .meta({ description: "Only records up to the end of this day, or this moment." }),
      keepDays: z.coerce.number().int().min(0).optional().meta({
        description:
          "How old records had to be when they were removed; `calls.keepDays` when left out.",
      }),
    }),
    output: AuditCheck,
    http: {
      method: "get",
      path: "/audit/verify",
      tag,
      answers: { 200: "Both chains, and the roots." },
    },
    cli: {
      command: "audit verify",
      about: "verify the hash chains of changes and calls; names the first record that fails",
      options: {
        "--head <hash>": "a hash from an earlier run, which must still be in the record",
        "--root <root>": "a root that was kept: its hash, or the file with exported roots",
        "--key <keys>":
          "the public keys that may have signed the roots, as base64, with commas between them",
        "--since <time>": "only records of this day or moment and later, such as 2026-11-15",
        "--until <time>": "only records up to the end of this day, or up to this moment",
        "--keep-days <number>": {
          about: "how old records had to be when they were removed; calls.keepDays when left out",
          kind: "count",
        },
      },
      examples: [
        "audit verify",
        "audit verify --root roots.jsonl",
        "audit verify --head 9f86d081884c7d65…",
      ],
    },
  }),
  operation({
    name: "audit.get",
    args: ["id"],
    summary: "One change",
    scope: "admin",
    input: z.object({ id: text("The id of the record.") }),
    output: AuditRecord,
    http: { method: "get", path: "/audit/{id}", tag, answers: { 200: "The record." } },
    cli: {
      command: "audit show",
      about: "one change: who, from where, what, before and after",
      arguments: { "<id>": "the id, as 'audit list' shows it" },
      examples: ["audit show 0mwhdikxj-1a2b3c4d5e6f7g8h"],
    },
  }),
];
