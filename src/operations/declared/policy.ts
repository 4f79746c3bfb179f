import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { PolicyRule } from "../../model/access/policy.ts";
import { policyModes } from "../../model/calls/call.ts";
import type { JsonObject } from "../../model/json.ts";
import { AnyObject } from "../../model/json-schema.ts";
import { faces } from "../../model/principal.ts";
import { oneOf } from "../fields.ts";
import { filesOnly, operation } from "../operation.ts";
import {
  PolicyRules,
  PolicyVerdict,
  PolicyView,
  ruleList,
  ShownPreview,
} from "../schemas/policy.ts";
import { setupIn, withoutPath } from "./setup.ts";

const tag = "Approvals";
const example = { tool: "git.push", verdict: "ask", reason: "pushes are looked at" };

/** What is asked about, and why. */
export const policyOperations = [
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
      face: oneOf(faces).optional().meta({
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
      body: {
        description: "The call.",
        example: { tool: "demo.greet", arguments: { name: "Ann" } },
      },
      answers: { 200: "The verdict and who gave it." },
    },
    cli: {
      command: "policy test",
      about: "what the policy says about a call, without making it",
      arguments: { "<tool>": "the tool, in any spelling", "[values...]": "key=value or key:=json" },
      options: {
        "--args <json>": {
          about: "arguments as JSON, @FILE, or - for standard input",
          input: "arguments",
        },
        "--face <face>": {
          about: "as if called through this face",
          choices: ["cli", "http", "mcp", "workbench", "library", "agent"],
          default: "cli",
        },
        "--mode <mode>": {
          about: "as if in this mode, if it is stricter",
          choices: ["build", "plan", "review", "debug"],
        },
      },
      examples: ["policy test git.push branch=main", "policy test git.push --face mcp --json"],
    },
    run: (plane, { tool, arguments: args = {}, face, mode }, asker) =>
      plane.policy.test(tool, args as JsonObject, {
        ...asker,
        ...withoutUndefined({ face, mode }),
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
    output: ShownPreview,
    http: {
      method: "post",
      path: "/policy/preview",
      tag,
      open: true,
      body: { description: "The rules.", example: { rules: [example] } },
      answers: { 200: "What would be different." },
    },
    cli: {
      command: "policy preview",
      about:
        "which verdicts on the last hundred calls these rules would change; nothing is written",
      arguments: { "<file>": "a list of rules, as JSON or YAML; - for standard input" },
      examples: ["policy preview rules.json", "policy preview rules.yaml --json"],
    },
    async run(plane, { rules }, asker, { setup }) {
      const asGiven = { rules: rules as unknown as PolicyRule[], warnings: [] };
      const tried = setup
        ? await setup.tryRules(rules as JsonObject[]).catch(withoutPath)
        : asGiven;
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
    http: {
      method: "get",
      path: "/policy/rules",
      tag,
      answers: { 200: "The rules and their revision." },
    },
    cli: {
      command: "config explain",
      about: "a value with the file and line it comes from",
      arguments: { "<key>": "for example filesystem.timeoutMs, or filesystem for all of it" },
      examples: ["config explain filesystem", "config explain policy.profile"],
    },
    socket: filesOnly,
    needsSetup: true,
    run: (_plane, _input, _asker, situation) =>
      setupIn(situation).writtenRules().catch(withoutPath),
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
      body: {
        description: "The rules.",
        example: { rules: [example], revision: "9f2c41d07a3be851" },
      },
      answers: { 200: "The rules as they are written now." },
    },
    cli: {
      command: "policy save",
      about: "write these rules into the configuration file; comments stay with their rule",
      arguments: { "<file>": "a list of rules, as JSON or YAML; - for standard input" },
      options: {
        "--revision <text>": "refuse if the rules in the file have changed since this revision",
      },
      examples: ["policy save rules.json"],
    },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: () => "policy.rules",
      input: (input) => input,
      snapshot: (plane) => plane.config().policy.rules,
    },
    async run(plane, { rules, revision }, asker, situation) {
      const saved = await setupIn(situation)
        .saveRules(rules as JsonObject[], revision)
        .catch(withoutPath);
      await plane.reload(asker);
      return saved;
    },
  }),
];
