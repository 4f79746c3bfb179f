import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { stableJson } from "../../../lib/json/stable-json.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import type { Remember } from "../../../model/calls/held-call.ts";
import type { HeldView, RememberedApproval } from "../../../model/calls/held-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { approvalOperations } from "../../../operations/declared/approvals.ts";
import { policyOperations } from "../../../operations/declared/policy.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { findByPrefix, shortIdIn } from "../terminal/ids.ts";
import { exitCodeOf, printOutcome } from "../terminal/outcome.ts";
import {
  colors,
  type Fact,
  joinLines,
  print,
  printJson,
  printStatus,
  printWarning,
  renderFacts,
  renderSpan,
  table,
} from "../terminal/output.ts";
import { viewsOf } from "../view.ts";
import { withPlane } from "../with-plane.ts";
import { readInput, typedForTool } from "./call-arguments.ts";
import { openSetup } from "./config.ts";
import { readSource, toChoice } from "./option-values.ts";

const view = viewsOf(approvalOperations);

export const listApprovals = view("approvals.page", {
  input: ({ status }, { options }) => withoutUndefined({ status: options.all ? "all" : status }),
  table: {
    rows: "approvals",
    none: "No call waits for approval.",
    columns: {
      id: { title: "ID", text: shortIdIn },
      status: "STATUS",
      tool: "TOOL",
      principal: { title: "WHO", text: ({ user }) => user },
      at: { title: "AGE", text: (moment) => renderSpan(Date.now() - Date.parse(moment)) },
      expiresAt: {
        title: "EXPIRES",
        text: (_, approval) => renderExpiry(approval, Date.now()) ?? "",
      },
      verdict: { title: "WHY", text: ({ reason }) => reason },
    },
  },
});

export const showApproval = view("approvals.get", {
  input: async ({ id }, { plane }) => ({ id: await findApproval(plane, id) }),
  async text(approval, { plane }) {
    const tool = await plane.tools.get(approval.toolId).catch(() => undefined);
    print(renderApproval(approval, Date.now(), tool?.description));
    if (approval.status === "pending")
      printStatus(`Answer it with: toolplane approvals approve|reject ${approval.id}`);
    return null;
  },
});

export const approveCall = view("approvals.answer", {
  async input({ id }, { plane, options }) {
    const { args } = options;
    return {
      id: await findApproval(plane, id),
      decision: "approve",
      remember: toRemember(options as RememberOptions),
      arguments: typeof args === "string" ? await readJsonOption(args, "--args") : undefined,
    };
  },
  text({ approval, outcome }, { input }) {
    if (outcome) printOutcome(outcome as Outcome);
    else print(`'${plainText(approval.tool)}' is approved and runs where its caller waits for it.`);
    if (input.remember && approval.adminRequired)
      printStatus("The yes is not remembered: a rule of the operator asks every time.");
    return null;
  },
  exitCode({ outcome }) {
    if (outcome === undefined) return 0;
    return exitCodeOf(outcome as Outcome);
  },
});

export const rejectCall = view("approvals.answer", {
  input: async ({ id }, { plane }) => ({
    id: await findApproval(plane, id),
    decision: "reject",
  }),
  text: ({ approval }) => `The call of '${plainText(approval.tool)}' is rejected and does not run.`,
});

export const listRemembered = view("approvals.remembered", {
  table: {
    rows: "remembered",
    none: "No yes is remembered.",
    columns: {
      id: { title: "ID", text: shortIdIn },
      server: {
        title: "FOR",
        text: (server, { tool }) => (server === null ? tool : `every tool of ${server}`),
      },
      arguments: { title: "WITH", text: (_, remembered) => renderLimits(remembered) },
      conversation: { title: "CONVERSATION", text: (conversation) => conversation ?? "any" },
      createdAt: "SINCE",
      expiresAt: { title: "EXPIRES", text: (moment) => moment ?? "never" },
    },
  },
});

export const forgetRemembered = view("approvals.forget", {
  async input({ id }, { plane }) {
    const ids = (await plane.approvals.remembered()).map((entry) => entry.id);
    const place = { what: "remembered yes", where: "toolplane approvals remembered" };
    return { id: findByPrefix(id, ids, place) };
  },
  text: () => "Forgotten. Calls like this need approval again.",
  json: (_, { input: { id } }) => ({ id, forgotten: true }),
});

async function findApproval(plane: Plane, idPrefix: string): Promise<string> {
  // Also the change of a plan has an id, which no list of approvals shows.
  if (idPrefix.length === 36) return idPrefix.toLowerCase();
  const ids = (await plane.approvals.list()).map(({ id }) => id);
  return findByPrefix(idPrefix, ids, { what: "approval", where: "toolplane approvals list --all" });
}

type RememberOptions = { remember?: string; for?: number; onlyConversation?: boolean };

function toRemember(options: RememberOptions): Partial<Remember> | undefined {
  const { remember: scope, for: forMs, onlyConversation: conversation } = options;
  if (scope !== undefined)
    return {
      for: toChoice("--remember", scope, ["tool", "arguments", "server"]),
      ...withoutUndefined({ forMs, conversation }),
    } as Partial<Remember>;
  if (forMs === undefined && !conversation) return undefined;
  throw new PlaneError(
    "USAGE",
    "--for and --only-conversation say for how long: add --remember tool.",
  );
}

export function readJsonOption(text: string, option: string): Promise<JsonObject> {
  return readInput(text, [], `${option} must be a JSON object like {"key": "value"}.`);
}

/** Everything that a person should have seen before they say yes. */
export function renderApproval(approval: HeldView, now: number, description?: string): string {
  const { id, tool, principal, face, verdict, answer, outcome } = approval;
  const facts: Fact[] = [
    ["status", approval.status],
    ["called by", `${principal.user ?? "anonymous"} via ${face}`],
    ["asked", `${renderSpan(now - Date.parse(approval.at))} ago`],
    ["caller", renderCaller(approval, now)],
    ["expires", renderExpiry(approval, now) ?? "not"],
    ["why", `${verdict.reason} (${ruleOf(verdict)})`],
    ["remember", approval.adminRequired ? "no: a rule of the operator asks every time" : null],
    ["plan", approval.plan],
    ["answer", answer && renderAnswer(answer)],
    ["ran as", outcome && `${outcome.callId}${outcome.ok ? "" : `, ${outcome.code}`}`],
  ];
  return joinLines(
    `${colors.bold(plainText(tool))} ${colors.dim(id)}`,
    Boolean(description) && plainText(description ?? ""),
    "",
    colors.bold(answer?.arguments ? "Arguments, as they were changed" : "Arguments"),
    renderArguments(approval.shown, "  "),
    approval.before && [
      "",
      colors.bold("As the caller gave them"),
      ...renderArguments(approval.before, "  "),
    ],
    "",
    renderFacts(13, facts),
  );
}

/** One argument a line, in the order of their names, so that two of them can be compared. */
export function renderArguments(args: JsonObject, indent: string): string[] {
  const names = Object.keys(args).sort();
  if (names.length === 0) return [`${indent}none`];
  return names.map((name) => `${indent}${visible(name)}: ${renderValue(args[name] as Json)}`);
}

function renderValue(value: Json): string {
  const isPlain = typeof value === "string" && value.trim() !== "" && !/[\n\t]/.test(value);
  return visible(isPlain ? value : stableJson(value));
}

/** What cannot be seen is spelled out: a person who approves must see it. */
function visible(text: string): string {
  if (plainText(text) === text) return text;
  return Array.from(text, (character) =>
    plainText(character) === "" ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character,
  ).join("");
}

function renderLimits({ arguments: globs, argumentsHash }: RememberedApproval): string {
  if (argumentsHash !== null) return "exactly those arguments";
  if (Object.keys(globs).length === 0) return "any arguments";
  return stableJson(globs);
}

function renderAnswer(answer: NonNullable<HeldView["answer"]>): string {
  const { decision, by, reason } = answer;
  const decided = `${decision} by ${by ?? "anonymous"} at ${answer.at}`;
  if (reason === null) return decided;
  return `${decided}: ${reason}`;
}

const callers = {
  waits: "waits for the answer",
  told: "was answered that the call waits",
  left: "has left: no caller waits for the result",
} as const;

function renderCaller({ caller, status }: HeldView, now: number): string | null {
  if (caller === undefined || status !== "pending") return null;
  const since = `${renderSpan(now - Date.parse(caller.at))} ago`;
  if (caller.state === "waits") return callers.waits;
  return `${callers[caller.state]}, ${since}`;
}

type RuleOrigin = { origin: string; rule?: number | undefined; from?: string | undefined };

/** People count rules from 1; the key is what `config explain` takes. */
function ruleOf({ origin, rule, from = origin }: RuleOrigin): string {
  if (rule === undefined) return from;
  return `rule ${rule + 1}, policy.rules[${rule}]`;
}

function renderExpiry({ status, expiresAt }: HeldView, now: number): string | null {
  if (status !== "pending" || expiresAt === null) return null;
  return `in ${renderSpan(Date.parse(expiresAt) - now)}`;
}

const meanings = {
  allow: "it runs",
  ask: "it waits for a person's yes",
  queue: "it is queued in a plan",
  deny: "it is refused",
} as const;

export const testPolicy = viewsOf(policyOperations)("policy.test", {
  async input({ tool }, { plane, args, options }) {
    const values = args[1] as string[];
    const input = await readInput(
      options.args as string | undefined,
      values,
      `--args must be a JSON object like {"key": "value"}.`,
    );
    return { arguments: await typedForTool(plane, tool, input, values) };
  },
  text(tested) {
    const { verdict, effect } = tested;
    const facts = renderFacts(8, [
      ["tool", tested.tool],
      ["because", tested.reason],
      ["origin", ruleOf(tested)],
      ["effect", `${effect.effect}: ${effect.because}`],
    ]);
    return [`${colors.bold(verdict)}: ${meanings[verdict]}`, ...facts].join("\n");
  },
});

export async function previewRules(cli: Cli, file: string, options: GlobalOptions): Promise<void> {
  const setup = await openSetup(cli, options);
  const { rules, warnings } = await setup.tryRules(await readRules(cli, file, options));
  const preview = await withPlane(cli, options, (plane) => plane.policy.preview(rules));
  if (options.json) return printJson({ ...preview, warnings });
  for (const warning of warnings) printWarning(warning);
  if (preview.withoutArguments > 0)
    printWarning(
      `The arguments of ${countOf(preview.withoutArguments, "call")} are not kept; rules saw none of them.`,
    );
  if (preview.skipped > 0)
    printWarning(
      `${countOf(preview.skipped, "call")} left out: their tool is gone, or their caller may not use it now.`,
    );
  print(
    table(
      preview.changes,
      `No verdict on the last ${countOf(preview.calls, "call")} would change.`,
      {
        CALL: ({ id }) => id,
        TOOL: ({ tool }) => tool,
        WHO: ({ user }) => user,
        NOW: ({ before }) => before.verdict,
        THEN: ({ after }) => after.verdict,
        WHY: ({ after }) => after.reason,
      },
    ),
  );
}

export async function saveRules(
  cli: Cli,
  file: string,
  options: TextOptions<"revision">,
): Promise<void> {
  const setup = await openSetup(cli, options);
  const rules = await readRules(cli, file, options);
  const saved = await setup.saveRules(
    rules,
    options.revision ?? (await setup.writtenRules()).revision,
  );
  if (options.json) return printJson(saved);
  for (const warning of saved.warnings) printWarning(warning);
  print(`${saved.file} has ${countOf(saved.rules.length, "rule")} now.`);
}

/** A list, or a configuration with one. */
async function readRules(cli: Cli, file: string, options: GlobalOptions): Promise<JsonObject[]> {
  const content = await readContent(cli, file, options);
  const policy = isObject(content) ? content.policy : undefined;
  const rules = isObject(policy) ? policy.rules : content;
  if (Array.isArray(rules) && rules.every(isObject)) return rules as JsonObject[];
  throw new PlaneError("USAGE", `'${file}' must hold a list of rules, or 'policy.rules'.`);
}

async function readContent(cli: Cli, file: string, options: GlobalOptions): Promise<unknown> {
  if (file === "-") return parse(await readSource("-"));
  return (await openSetup(cli, options)).readManifest(file);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new PlaneError(
      "USAGE",
      `Standard input is not valid JSON: ${(thrown as Error).message}.`,
    );
  }
}
