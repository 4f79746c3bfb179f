import assert from "node:assert/strict";
import { test } from "node:test";
import { resolvedCall } from "../../test/samples/calls.ts";
import { noRouting } from "../../test/samples/routing.ts";
import type {
  Approved,
  Authorized,
  Injected,
  Requested,
  Resolved,
  Routed,
  Validated,
} from "../model/calls/call.ts";
import { type ApproveOptions, approve } from "./approve.ts";
import { authorize, type GrantFor } from "./authorize.ts";
import { type ExecuteOptions, execute } from "./execute.ts";
import { inject, type ValueFor } from "./inject.ts";
import { type RouteOptions, route } from "./route.ts";
import { type CheckArguments, validate } from "./validate.ts";

type Calls = {
  requested: Requested;
  resolved: Resolved;
  authorized: Authorized;
  validated: Validated;
  injected: Injected;
  approved: Approved;
  routed: Routed;
};

type Functions = {
  grantFor: GrantFor;
  check: CheckArguments;
  valueFor: ValueFor;
  approval: ApproveOptions;
  routing: RouteOptions;
  execution: ExecuteOptions;
};

/** Never run: the compiler is the judge. An unused `@ts-expect-error` is an error itself. */
function skipsOneStage(calls: Calls, f: Functions): unknown[] {
  return [
    // @ts-expect-error a call is authorised only after its tool is known
    authorize(calls.requested, f.grantFor),
    // @ts-expect-error arguments are validated only for whom the tool was granted
    validate(calls.resolved, f.check),
    // @ts-expect-error the system's values come after the arguments were validated
    inject(calls.authorized, f.valueFor),
    // @ts-expect-error an approval is asked for only with the system's values in place
    approve(calls.validated, f.approval),
    // @ts-expect-error a route is chosen only for what was approved
    route(calls.injected, f.routing),
    // @ts-expect-error only what has a route is executed
    execute(calls.approved, f.execution),
    // @ts-expect-error a route alone does not make up for the missing approval
    execute({ ...calls.injected, route: calls.routed.route }, f.execution),
    // @ts-expect-error nor does an approval make up for the missing grant
    execute({ ...calls.routed, grant: undefined }, f.execution),
  ];
}

const functions: Functions = {
  grantFor: () => ({ by: "everyone" }),
  check: async () => [],
  valueFor: () => undefined,
  approval: {
    ownCounts: () => true,
    decide: () => ({ verdict: "allow", origin: "test", reason: "why not" }),
    hasOpen: () => false,
    join: async () => null,
    remembered: async () => assert.fail("nothing has to be remembered"),
    isSameTool: async (_tool, fingerprint) => fingerprint === "f",
    hold: async () => assert.fail("no person is asked"),
  },
  routing: {
    environment: {},
    unavailable: () => null,
    cooldown: () => null,
    serverLimitMs: () => undefined,
  },
  execution: {
    provider: () => async () => ({ content: [] }),
    checkOutput: async () => [],
    onRetry: () => undefined,
    onProgress: () => undefined,
    routing: noRouting,
    answer: async () => ({}),
  },
};

test("every stage takes what the one before it gave, and skipping one does not compile", async () => {
  void skipsOneStage;
  const { grantFor, check, valueFor, approval, routing, execution } = functions;
  const authorized = authorize(resolvedCall(), grantFor);
  const injected = await inject(await validate(authorized, check), valueFor);
  const approved = await approve(injected, approval);
  assert.ok("approval" in approved);
  const { executed } = await execute(route(approved, routing), execution);
  assert.deepEqual(executed.result, { content: [] });
});
