import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { CodeOutcome, RunCodeOptions } from "@toolplane/core/model/agent/code-run";
import { CodeSearch } from "@toolplane/core/model/agent/code-schema";
import { policyModes } from "@toolplane/core/model/calls/call";
import { CallStatus } from "@toolplane/core/model/calls/call-schema";
import { largestSearch } from "@toolplane/core/model/catalogue/search";
import { PlaneError } from "@toolplane/core/model/errors";
import { ErrorReport } from "@toolplane/core/model/errors-schema";
import { recordingOptions } from "@toolplane/core/operations/command-options";
import { count } from "@toolplane/core/operations/fields";
import { operation } from "@toolplane/core/operations/operation";
import { toPublicError } from "@toolplane/core/operations/public-errors";
import { z } from "zod";

const tag = "Code";

export const CodeRun = z
  .object({
    ok: z.boolean().meta({ description: "It returned." }),
    run: z
      .string()
      .meta({ description: "Finds the run (`GET /runs/{id}`) and its calls (`GET /calls?run=`)." }),
    value: z.unknown().meta({ description: "What it returned; null without `return`." }),
    logs: z.array(z.string()).meta({ description: "What it wrote with `console`." }),
    calls: z.array(
      z.object({
        id: z.string(),
        tool: z.string(),
        status: CallStatus,
        at: z.string(),
        durationMs: z.number(),
        replayed: z
          .literal(true)
          .optional()
          .meta({ description: "Made by an earlier part of the run." }),
      }),
    ),
    durationMs: z.number(),
    error: ErrorReport.extend({
      line: z.number().int().optional().meta({ description: "Of the program, starting at 1." }),
      text: z.string().optional().meta({ description: "Of that line." }),
    }).nullable(),
    waiting: z
      .array(z.object({ id: z.string(), tool: z.string(), plan: z.string().optional() }))
      .optional()
      .meta({
        description:
          "Approvals and changes of plans that it waits for; `resume` goes on once they are answered.",
      }),
  })
  .meta({ id: "CodeRun" });

/** Programs that call tools. */
export const codeOperations = [
  operation({
    name: "code.run",
    args: ["source"],
    summary: "Run a program that calls tools",
    description:
      "JavaScript or TypeScript with top-level await and `return`, in a sandbox. `tools.server.tool(args)` calls a tool along the one path, as you. When the client goes away, the run is cancelled.",
    scope: "call",
    input: z.object({
      source: z.string().optional().meta({ description: "The program; left out with `resume`." }),
      timeoutMs: z
        .number()
        .min(0)
        .optional()
        .meta({ description: "For the whole run; 0 for no limit." }),
      readOnly: z.boolean().optional().meta({ description: "Refuse what may change something." }),
      resume: z.string().optional().meta({ description: "The run that waited for an approval." }),
      conversation: z.string().optional(),
      consent: z.boolean().optional(),
      mode: z.enum(policyModes).optional(),
      approvalWaitMs: z.number().optional(),
    }),
    output: CodeRun,
    http: {
      method: "post",
      path: "/code/run",
      tag,
      open: true,
      cancels: true,
      wait: {
        input: "approvalWaitMs",
        means: "wait this many seconds for a person's approval of a call, if it needs one.",
      },
      body: {
        description: "The program.",
        example: { source: "return await tools.demo.add({ a: 1, b: 2 });" },
      },
      answers: {
        200: "How it ended; `ok` is false where it failed.",
        202: "It waits for what `waiting` names.",
      },
      status: ({ ok, waiting }: CodeOutcome) => (!ok && waiting !== undefined ? 202 : 200),
      show: ({ text: _, stored: __, blocks: ___, error, ...shown }: CodeOutcome) => ({
        ...shown,
        error: error && toPublicError(error),
      }),
    },
    cli: {
      command: "code run",
      about: "run a program in the sandbox; policy and limits apply to its calls",
      arguments: { "[file]": "JavaScript or TypeScript; - for standard input" },
      options: {
        "-e, --eval <source>": "the program itself, instead of a file",
        "--timeout <seconds>": {
          about: "limit of the whole run; 0 for none, 60 when left out",
          kind: "seconds",
        },
        "--read-only": "refuse what may change something",
        "--resume <run>": "continue a run that waited for an approval",
        "--conversation <name>": "the conversation that the calls and 'store' belong to",
        "--plan": "queue writes instead of making them",
        "--yes": "agree to what the policy would ask about",
        ...recordingOptions,
      },
      examples: [
        "code run report.ts",
        "code run -e 'return await tools.demo.greet({ name: \"Ann\" })'",
        "code run report.ts --read-only --json",
      ],
    },
    async run(plane, { source, ...options }, asker) {
      if (source === undefined && options.resume === undefined)
        throw new PlaneError(
          "USAGE",
          "Give 'source', the program, or 'resume', a run that waits.",
          {
            data: { parameter: "source" },
          },
        );
      return plane.code.run(
        source ?? "",
        withoutUndefined({ ...options, ...asker }) as RunCodeOptions,
      );
    },
  }),
  operation({
    name: "code.search",
    args: ["query"],
    summary: "Matching tools, as TypeScript for a program",
    scope: "read",
    input: z.object({
      query: z.string().meta({ description: "What the tools should do." }),
      limit: count(largestSearch),
    }),
    output: CodeSearch,
    http: { method: "get", path: "/code/search", tag, answers: { 200: "Best first." } },
    cli: {
      command: "code search",
      about: "matching tools, as TypeScript declarations for a program",
      arguments: { "<query>": "what the tools should do" },
      options: { "--limit <number>": { about: "maximum number of tools", kind: "limit" } },
      examples: ["code search 'read a file'"],
    },
  }),
];
