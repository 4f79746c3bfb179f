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
  return async (given, { principal }) => {
    requireScope(principal, "admin", "look at the calls of others");
    const current = config().policy;
    const other: Policy = { ...current, rules: readRules(given) };
    let at = new Date();
    const now = () => at;
    const decideNow = policyOf(parts, { policy: () => current, now });
    const decideThen = policyOf(parts, { policy: () => other, now });
    const records = await (await recorder.store()).calls({ limit: maxCalls });
    const kept = (await payloads(idsOf(records), principal)) ?? [];
    const byId = new Map(kept.map((payload) => [payload.id, argumentsOf(payload)]));
    const changes: VerdictChange[] = [];
    const find = createFind(lookup);
    const found = await Promise.all(
      records.map(async (record) => {
        return {
          record,
          call: callOf(parts, record, await find(record), byId.get(record.id) ?? {}),
        };
      }),
    );
    const usual = await profile();
    for (const { record, call } of found) {
      if (call === null) continue;
      at = new Date(record.at);
      const before = await decideNow(call, usual);
      const after = await judge(() => decideThen(call, usual));
      if (before.verdict === after.verdict) continue;
      const { id, tool, face } = record;
      changes.push({ id, at: record.at, tool, user: record.principal.user, face, before, after });
    }
    const looksInside = [...current.rules, ...other.rules].some(
      (rule) => rule.arguments !== undefined,
    );
    const isBlind = ({ id, argumentNames }: CallRecord) =>
      argumentNames.length > 0 && !byId.get(id);
    return {
      calls: records.length,
      skipped: found.filter(({ call }) => call === null).length,
      withoutArguments: looksInside ? records.filter(isBlind).length : 0,
      changes,
    };
  };
}

const idsOf = (records: readonly CallRecord[]) => records.map(({ id }) => id);

/** Undefined where they were too large to be kept. */
function argumentsOf({ arguments: given }: CallPayload): JsonObject | undefined {
  return isObject(given) && given.cut !== true ? (given as JsonObject) : undefined;
}

/** Looks for each tool of a caller once. */
function createFind(lookup: Lookup): (record: CallRecord) => Promise<Tool | null> {
  const found = new Map<string, Promise<Tool | null>>();
  return ({ tool, principal }) => {
    const key = JSON.stringify([tool, principal]);
    const begun = found.get(key) ?? lookup.toCall(tool, principal).catch(() => null);
    found.set(key, begun);
    return begun;
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

function readRules(given: readonly PolicyRule[]): PolicyRule[] {
  const read = Policy.safeParse({ rules: given });
  if (read.success) return read.data.rules;
  const [issue] = read.error.issues;
  const what = issue
    ? `${renderPath(issue.path as string[])} ${describeIssue(issue, { rules: given })}`
    : "no rules";
  throw new PlaneError("USAGE", `These rules cannot be used: ${what}.`, {
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
