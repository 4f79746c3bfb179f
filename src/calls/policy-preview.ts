import { Policy, type PolicyRule } from "../model/access/policy.ts";
import type { Validated } from "../model/calls/call.ts";
import type { CallPayload, CallRecord, Verdict } from "../model/calls/call-schema.ts";
import type { VerdictChange } from "../model/calls/policy-schema.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { describeIssue } from "../model/config/describe-issue.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject, renderPath } from "../model/json.ts";
import type { PlanePolicy } from "../model/plane-access.ts";
import { type Inside, type Principal, requireScope } from "../model/principal.ts";
import type { Store } from "../model/store.ts";
import { type JudgeParts, policyOf } from "./judge.ts";
import type { Lookup } from "./lookup.ts";

const maxCalls = 100;

type PreviewParts = JudgeParts & { recorder: { store(): Promise<Pick<Store, "calls">> } };
type ReadPayloads = (ids: readonly string[], reader: Principal) => Promise<CallPayload[] | null>;

/** Judges the last calls again, by the policy in force and with other rules; each at its own time. */
export function createPolicyPreview(
  parts: PreviewParts,
  lookup: Lookup,
  payloads: ReadPayloads,
): Inside<PlanePolicy>["preview"] {
  const { config, profile, recorder } = parts;
  return async (proposedRules, { principal }) => {
    requireScope(principal, "admin", "look at the calls of others");
    const currentPolicy = config().policy;
    const proposedPolicy: Policy = { ...currentPolicy, rules: readRules(proposedRules) };
    let judgedAt = new Date();
    const now = () => judgedAt;
    const decideNow = policyOf(parts, { policy: () => currentPolicy, now });
    const decideProposed = policyOf(parts, { policy: () => proposedPolicy, now });
    const records = await (await recorder.store()).calls({ limit: maxCalls });
    const storedPayloads = (await payloads(idsOf(records), principal)) ?? [];
    const byId = new Map(storedPayloads.map((payload) => [payload.id, argumentsOf(payload)]));
    const changes: VerdictChange[] = [];
    const find = createFind(lookup);
    const previews = await Promise.all(
      records.map(async (record) => {
        return {
          record,
          call: callOf(parts, record, await find(record), byId.get(record.id) ?? {}),
        };
      }),
    );
    const usual = await profile();
    for (const { record, call } of previews) {
      if (call === null) continue;
      judgedAt = new Date(record.at);
      const before = await decideNow(call, usual);
      const after = await judge(() => decideProposed(call, usual));
      if (before.verdict === after.verdict) continue;
      const { id, tool, face } = record;
      changes.push({ id, at: record.at, tool, user: record.principal.user, face, before, after });
    }
    const looksInside = [...currentPolicy.rules, ...proposedPolicy.rules].some(
      (rule) => rule.arguments !== undefined,
    );

    function isBlind({ id, argumentNames }: CallRecord) {
      return argumentNames.length > 0 && !byId.get(id);
    }

    return {
      calls: records.length,
      skipped: previews.filter(({ call }) => call === null).length,
      withoutArguments: looksInside ? records.filter(isBlind).length : 0,
      changes,
    };
  };
}

function idsOf(records: readonly CallRecord[]) {
  return records.map(({ id }) => id);
}

/** Undefined where they were too large to be kept. */
function argumentsOf({ arguments: args }: CallPayload): JsonObject | undefined {
  if (isObject(args) && args.cut !== true) return args as JsonObject;
  return undefined;
}

/** Looks for each tool of a caller once. */
function createFind(lookup: Lookup): (record: CallRecord) => Promise<Tool | null> {
  const tools = new Map<string, Promise<Tool | null>>();
  return ({ tool, principal }) => {
    const key = JSON.stringify([tool, principal]);
    const search = tools.get(key) ?? lookup.toCall(tool, principal).catch(() => null);
    tools.set(key, search);
    return search;
  };
}

/** Null where the tool is gone or its caller may not use it: no rule is asked. */
function callOf(
  { grants }: Pick<PreviewParts, "grants">,
  record: CallRecord,
  tool: Tool | null,
  args: JsonObject,
): Validated | null {
  const { id, at, tool: name, principal, face } = record;
  if (tool === null) return null;
  const grant = grants.grantToSee(principal, tool, args);
  if ("refused" in grant) return null;
  const input = { arguments: args, repaired: false, dropped: [] };
  return {
    id,
    at,
    asked: { tool: name, arguments: args },
    principal,
    face,
    options: {},
    tool,
    grant,
    input,
  };
}

function readRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const parsed = Policy.safeParse({ rules: rules });
  if (parsed.success) return parsed.data.rules;
  const [issue] = parsed.error.issues;
  const problem = issue
    ? `${renderPath(issue.path as string[])} ${describeIssue(issue, { rules })}`
    : "no rules";
  throw new PlaneError("USAGE", `These rules cannot be used: ${problem}.`, {
    data: { parameter: "rules" },
  });
}

/** The first verdict compiles the patterns of the rules. */
async function judge(decide: () => Verdict | Promise<Verdict>): Promise<Verdict> {
  try {
    return await decide();
  } catch (thrown) {
    throw new PlaneError("USAGE", "A pattern of these rules cannot be used. Check each 'regex'.", {
      cause: thrown,
    });
  }
}
