import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { stableJson } from "../../../lib/json/stable-json.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { PolicyMode } from "../../../model/calls/call.ts";
import {
  type ApprovalAnswer,
  type HeldStatus,
  heldOrders,
  heldStatuses,
  type Remember,
} from "../../../model/calls/held-call.ts";
import type { HeldView, RememberedApproval } from "../../../model/calls/held-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Face } from "../../../model/principal.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { findByPrefix, shortenIds } from "../terminal/ids.ts";
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
import { command, withPlane } from "../with-plane.ts";
import { readInput, typedForTool } from "./call-arguments.ts";
import { openSetup } from "./config.ts";
import { pickOptions, readSource, toChoice } from "./option-values.ts";

type ListOptions = TextOptions<"status" | "order"> & { all?: boolean };
type ApproveOptions = TextOptions<"args" | "reason" | "remember"> & {
  for?: number;
  onlyConversation?: boolean;
};

export const listApprovals = command(
  (plane, options: ListOptions) => {
    const order = toChoice("--order", options.order, heldOrders) ?? "oldest";
    return plane.approvals.list({ order, ...withoutUndefined({ status: toStatus(options) }) });
  },
  (approvals) => {
    const short = shortenIds(approvals.map(({ id }) => id));
    const now = Date.now();
    return table(approvals, "No call waits for approval.", {
      ID: ({ id }) => short(id),
      STATUS: ({ status }) => status,
      TOOL: ({ tool }) => tool,
      WHO: ({ principal }) => principal.user,
      AGE: (approval) => renderSpan(now - Date.parse(approval.at)),
      EXPIRES: (approval) => renderExpiry(approval, now) ?? "",
      WHY: ({ verdict }) => verdict.reason,
    });
  },
  (approvals) => ({ approvals }),
);

export async function showApproval(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const approval = await plane.approvals.get(await findApproval(plane, id));
    if (options.json) return printJson(approval);
    const tool = await plane.tools.get(approval.toolId).catch(() => undefined);
    print(renderApproval(approval, Date.now(), tool?.description));
    if (approval.status === "pending")
      printStatus(`Answer it with: toolplane approvals approve|reject ${approval.id}`);
  });
}

export async function approveCall(cli: Cli, id: string, options: ApproveOptions): Promise<number> {
  const answer: ApprovalAnswer = { decision: "approve" };
  if (options.args !== undefined) answer.arguments = await readJsonOption(options.args, "--args");
  Object.assign(answer, pickOptions(options, "reason"), toRemember(options));
  return withPlane(cli, options, async (plane) => {
    const answered = await plane.approvals.answer(await findApproval(plane, id), answer);
    const { approval, outcome } = answered;
    if (options.json) printJson(answered);
    else if (outcome) printOutcome(outcome);
    else print(`'${plainText(approval.tool)}' is approved and runs where its caller waits for it.`);
    if (answer.remember && approval.adminRequired)
      printStatus("The yes is not remembered: a rule of the operator asks every time.");
    return outcome ? exitCodeOf(outcome) : 0;
  });
}

export const rejectCall = command(
  async (plane, id: string, options: TextOptions<"reason">) =>
    plane.approvals.answer(await findApproval(plane, id), {
      decision: "reject",
      ...pickOptions(options, "reason"),
    }),
  ({ approval }) => `The call of '${plainText(approval.tool)}' is rejected and does not run.`,
);

export const listRemembered = command(
  (plane) => plane.approvals.remembered(),
  (remembered) => {
    const short = shortenIds(remembered.map(({ id }) => id));
    return table(remembered, "No yes is remembered.", {
      ID: ({ id }) => short(id),
      FOR: ({ server, tool }) => (server === null ? tool : `every tool of ${server}`),
      WITH: renderLimits,
      CONVERSATION: ({ conversation }) => conversation ?? "any",
      SINCE: ({ createdAt }) => createdAt,
      EXPIRES: ({ expiresAt }) => expiresAt ?? "never",
    });
  },
  (remembered) => ({ remembered }),
);

export const forgetRemembered = command(
  async (plane, idPrefix: string) => {
    const ids = (await plane.approvals.remembered()).map((entry) => entry.id);
    const id = findByPrefix(idPrefix, ids, {
      what: "remembered yes",
      where: "toolplane approvals remembered",
    });
    await plane.approvals.forget(id);
    return { id, forgotten: true };
  },
  () => "Forgotten. Calls like this need approval again.",
);

async function findApproval(plane: Plane, idPrefix: string): Promise<string> {
  // Also the change of a plan has an id, which no list of approvals shows.
  if (idPrefix.length === 36) return idPrefix.toLowerCase();
  const ids = (await plane.approvals.list()).map(({ id }) => id);
  return findByPrefix(idPrefix, ids, { what: "approval", where: "toolplane approvals list --all" });
}

function toStatus(options: ListOptions): HeldStatus | undefined {
  const { status } = options;
  if (options.all || status === "all") return undefined;
  const choice = toChoice("--status", status ?? "pending", ["all", ...heldStatuses]);
  return choice === "all" ? undefined : choice;
}

function toRemember({ remember, for: forMs, onlyConversation }: ApproveOptions): {
  remember?: Remember;
} {
  const scope = toChoice("--remember", remember, ["tool", "arguments", "server"]);
  if (scope !== undefined)
    return {
      remember: { for: scope, ...withoutUndefined({ forMs, conversation: onlyConversation }) },
    };
  if (forMs === undefined && !onlyConversation) return {};
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

type TestOptions = { args?: string; face: Face; mode?: PolicyMode };

const meanings = {
  allow: "it runs",
  ask: "it waits for a person's yes",
  queue: "it is queued in a plan",
  deny: "it is refused",
} as const;

export const testPolicy = command(
  async (plane, tool: string, values: string[], { args, ...options }: TestOptions) => {
    const input = await readInput(
      args,
      values,
      `--args must be a JSON object like {"key": "value"}.`,
    );
    const typed = (await typedForTool(plane, tool, input, values)) as JsonObject;
    return plane.policy.test(tool, typed, { face: options.face, ...pickOptions(options, "mode") });
  },
  (tested) => {
    const { verdict, effect } = tested;
    const facts = renderFacts(8, [
      ["tool", tested.tool],
      ["because", tested.reason],
      ["origin", ruleOf(tested)],
      ["effect", `${effect.effect}: ${effect.because}`],
    ]);
    return [`${colors.bold(verdict)}: ${meanings[verdict]}`, ...facts].join("\n");
  },
);

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
