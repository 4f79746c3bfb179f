import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createApprovals } from "../../src/access/approvals/approvals.ts";
import type { Outcome, Requested } from "../../src/model/calls/call.ts";
import type { Verdict } from "../../src/model/calls/call-schema.ts";
import type { KeptHeldCall } from "../../src/model/calls/held-call.ts";
import type { Config } from "../../src/model/config/config.ts";
import { PlaneError } from "../../src/model/errors.ts";
import type { PlaneEvent } from "../../src/model/events.ts";
import { principalOf } from "../../src/model/principal.ts";
import type { Store } from "../../src/model/store.ts";
import { bindCaller } from "../../src/operations/bind-caller.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { injectedCall } from "./calls.ts";

export const ann = principalOf({ user: "ann" });
export const bob = principalOf({ user: "bob" });
export const ask: Verdict = { verdict: "ask", origin: "profile:guarded", reason: "it may write" };
export const queue: Verdict = { verdict: "queue", origin: "mode:plan", reason: "it may write" };

type Settings = Partial<Config["approvals"]>;

/** Approvals over a real store in memory; `hold` holds a call of Ann's. */
export async function openApprovals(
  context: TestContext,
  settings: Settings = {},
  shared?: Store,
  servers: Record<string, { url: string }> = {},
  inWorkspace: string[] = [],
) {
  const store = shared ?? (await openSqliteStore(":memory:"));
  if (!shared) context.after(() => store.close());
  const events: PlaneEvent[] = [];
  const ran: Requested[] = [];
  const ended: KeptHeldCall[] = [];
  let answer: (call: Requested) => Partial<Outcome> = () => ({ ok: true });
  const approvals = createApprovals({
    config: () =>
      ({
        servers,
        inWorkspace,
        approvals: {
          holdMs: 300_000,
          expireMs: 300_000,
          allowEdit: true,
          approvers: [],
          fourEyes: false,
          threshold: 1,
          rememberConsent: true,
          ...settings,
        },
      }) as unknown as Config,
    profile: () => "guarded",
    livesAsBefore: async () => false,
    isSessionOver: async () => false,
    closeRecords: async () => undefined,
    recordEnd: async (held) => void ended.push(held),
    store: async () => store,
    emit: (event) => void events.push(event),
    async run(call) {
      ran.push(call);
      const outcome = { call: { id: call.id }, ...answer(call) } as Outcome;
      if (call.approved) await approvals.onApprovedEnd(call.approved, outcome);
      return outcome;
    },
    fixedOf: () => ({}),
    mayMake: async ({ groups }) => !groups.includes("elsewhere"),
    async checkArguments(_, args) {
      if (args.bad) throw new PlaneError("INVALID_ARGUMENTS", "they do not fit");
    },
  });
  context.after(approvals.stop);
  const hold = async (verdict = ask, changes: Partial<ReturnType<typeof injectedCall>> = {}) => {
    const call = { ...injectedCall(), principal: ann, ...changes };
    const error = await approvals.hold(call, verdict, {}).then(
      () => assert.fail("it went on"),
      (thrown) => thrown as PlaneError,
    );
    return String(error.data.approvalId);
  };
  const answers = (next: typeof answer) => {
    answer = next;
  };
  return {
    approvals,
    verbs: bindCaller(approvals.verbs, { principal: ann }),
    store,
    events,
    ended,
    ran,
    hold,
    answers,
  };
}
