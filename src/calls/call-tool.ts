import { nowText, uniqueId } from "../lib/ids-and-time.ts";
import { rewriteText } from "../lib/json/json-text.ts";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { shorten } from "../lib/text/cut-text.ts";
import type {
  Approved,
  Authorized,
  CallOptions,
  Executed,
  Injected,
  Requested,
  Routed,
  Validated,
} from "../model/calls/call.ts";
import { bindKey, chosenKey, isIdempotencyKey } from "../model/calls/idempotency-key.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import type { JsonObject } from "../model/json.ts";
import type { PlaneCallOptions } from "../model/plane.ts";
import { type KnownCaller, narrow, type Principal } from "../model/principal.ts";
import { type ApproveOptions, approve, type CallContext } from "./approve.ts";
import { isOutdated } from "./attempt.ts";
import { authorize, authorizeArguments, type GrantFor, isTexts } from "./authorize.ts";
import { type Around, type ExecuteOptions, execute } from "./execute.ts";
import { inject, type ValueFor } from "./inject.ts";
import type { FindTool } from "./lookup.ts";
import type { RecordCall } from "./record.ts";
import { resolve } from "./resolve.ts";
import { type RouteOptions, requireExactProviders, route } from "./route.ts";
import { type CheckArguments, type OnlyReads, requireReadable, validate } from "./validate.ts";

export type CallStages = {
  findTool: FindTool;
  currentPrincipal?(principal: Principal): Promise<Principal>;
  grantFor: GrantFor;
  checkArguments: CheckArguments;
  /** Of a call whose arguments do not fit: has its server crashed, and does it list another definition now? */
  hasOther?(call: Authorized, thrown: unknown): Promise<boolean>;
  onlyReads?: OnlyReads;
  valueFor: ValueFor;
  approval: ApproveOptions;
  hooks?(): HookStages | null;
  routing: RouteOptions;
  execution: ExecuteOptions;
  /** Null where the providers alone answer. */
  around?(tool: Tool): Around | null;
  record: RecordCall;
};

type HookStages = {
  before(call: Injected, on: HookContext, signal: AbortSignal | undefined): Promise<Injected>;
  /** Never throws, so that no result gets past it. */
  after(call: Executed, signal: AbortSignal | undefined): Promise<Executed>;
};

type HookContext = {
  decide: ApproveOptions["decide"];
  withArguments(call: Injected, args: JsonObject): Promise<Injected>;
};

/** A definition that changes more often during one call is not called. */
const maxRounds = 3;

export type CallTool = (call: Requested, context?: CallContext) => ReturnType<RecordCall>;

/** The one path: resolve, authorize, validate, inject, approve, route, execute; record wraps the rest. */
export function createCallTool(path: CallStages): CallTool {
  const { execution } = path;
  const hooksContext = hookContext(path);
  const run: Parameters<Around>[2] = (call, executing, instead) =>
    execute(call, instead ? { ...execution, ...instead } : execution, executing);
  return (requested, context = {}) =>
    path.record(requested, async (step): Promise<Routed | Executed> => {
      const hooks = path.hooks?.() ?? null;
      const { cancellation, relay } = context;
      let latest = requested;
      for (let rounds = 1; ; ) {
        // Nothing is awaited that is there already: a microtask per stage costs more than most stages.
        const call = latest;
        const resolving = step("resolve", () =>
          resolveNow(call, path, cancellation, relay?.onProgress),
        );
        const resolved = resolving instanceof Promise ? await resolving : resolving;
        const authorized = step("authorize", () =>
          authorize(resolved, path.grantFor),
        ) as Authorized;
        const checked = step("validate", () =>
          validate(authorized, path.checkArguments, path.onlyReads),
        );
        let validated: Validated;
        try {
          validated = checked instanceof Promise ? await checked : checked;
        } catch (thrown) {
          // What a server listed before it crashed may be another definition than the one it has now.
          if (rounds === maxRounds || !(await path.hasOther?.(authorized, thrown))) throw thrown;
          rounds += 1;
          latest = requestedOf(latest);
          continue;
        }
        const completed = step("inject", () => inject(validated, path.valueFor));
        const injected = completed instanceof Promise ? await completed : completed;
        let judged = injected;
        if (hooks !== null)
          judged = await step("hooks", () => {
            requireReadable(injected, "a hook would decide on that one");
            return hooks.before(injected, hooksContext, context.signal);
          });
        const approving = step<Approved | Requested | Executed>("approve", () =>
          approve(authorizeArguments(judged, path.grantFor), path.approval, context),
        );
        const approved = approving instanceof Promise ? await approving : approving;
        // An equal call came to this earlier, and its caller did not get it.
        if (isExecuted(approved)) return approved;
        // After an approval the call starts again: everything may have changed.
        if (!isApproved(approved)) {
          latest = approved;
          continue;
        }
        const routed = step("route", () =>
          requireExactProviders(route(approved, path.routing)),
        ) as Routed;
        if (requested.options.dryRun) return routed;
        try {
          const around = path.around?.(routed.tool) ?? null;
          const executed = await step("execute", () =>
            around === null ? run(routed, context) : around(routed, context, run),
          );
          if (hooks === null) return executed;
          rewriteText(executed.executed.result);
          return await step("hooks", () => hooks.after(executed, context.signal));
        } catch (thrown) {
          // A server that this call started lists another definition: all decisions are void.
          if (!isOutdated(thrown) || rounds === maxRounds) throw thrown;
          rounds += 1;
          latest = requestedOf(latest);
        }
      }
    });
}

/** A call that waited or is resumed has the rights that its caller has by now. */
function resolveNow(
  call: Requested,
  path: CallStages,
  caller: CallContext["cancellation"],
  onProgress: Relay["onProgress"],
) {
  if (!call.approved && !call.resumed) return resolve(call, path.findTool, caller, onProgress);
  return withCurrentRights(call, path).then((current) =>
    resolve(current, path.findTool, caller, onProgress),
  );
}

function hookContext({ approval, checkArguments, valueFor }: CallStages): HookContext {
  return {
    decide: approval.decide,
    async withArguments(call, args) {
      const rewritten = { ...call.asked, arguments: args };
      const { input, ...validated } = await validate({ ...call, asked: rewritten }, checkArguments);
      // Warnings and retries refer to what the caller wrote.
      const completedInput = { ...call.input, arguments: input.arguments };
      return {
        ...(await inject({ ...validated, input: completedInput }, valueFor)),
        asked: call.asked,
      };
    },
  };
}

async function withCurrentRights(
  call: Requested,
  { currentPrincipal }: CallStages,
): Promise<Requested> {
  if (!currentPrincipal) return call;
  return { ...call, principal: await currentPrincipal(call.principal) };
}

function isExecuted(call: Approved | Requested | Executed): call is Executed {
  return "executed" in call && call.executed !== undefined;
}

function isApproved(call: Approved | Requested): call is Approved {
  return "approval" in call && call.approval !== undefined;
}

/** As it was requested, without what the stages have filled in. */
function requestedOf({
  id,
  at,
  asked,
  principal,
  face,
  options,
  files,
  resumed,
  approved,
  waitedSince,
  hooks,
}: Requested): Requested {
  const optionalFields = withoutUndefined({ files, resumed, approved, waitedSince, hooks });
  return { id, at, asked, principal, face, options, ...optionalFields } as Requested;
}

type GivenKey = PlaneCallOptions & KnownCaller & { [chosenKey]?: string };

/** A caller's key is bound to its principal at once: what is stored or sent later has it so. */
function keyFields({
  [chosenKey]: chosen,
  idempotencyKey: key,
  principal,
}: GivenKey): Pick<CallOptions, "idempotencyKey" | "sentKey"> {
  if (chosen !== undefined) return { idempotencyKey: chosen, sentKey: chosen };
  // One that is not fit to be sent is refused before it would be.
  if (!isIdempotencyKey(key)) return {};
  return { sentKey: bindKey(key, principal) };
}

const maxNameLength = 1_000;

export function requestCall(
  tool: string | ToolId,
  args: unknown,
  callOptions: PlaneCallOptions & KnownCaller,
): Requested {
  const { principal: caller, face = "library", files, ...otherOptions } = callOptions;
  const {
    signal: _,
    askHere: __,
    relay: ___,
    cancellation: ____,
    sentKey: _____,
    heldOpen: ______,
    ...pathOptions
  } = otherOptions;
  const options = { ...pathOptions, ...keyFields(callOptions) };
  const { mcp } = options;
  // An `mcp` of the wrong type leaves no server; `authorize` explains it.
  const servers = typeof mcp === "boolean" || isTexts(mcp) ? mcp : false;
  const principal = mcp === undefined ? caller : narrow(caller, { servers });
  // No tool has such a name, and it is looked at and written at every step.
  const named = typeof tool === "string" ? shorten(tool, maxNameLength) : tool;
  const requested: Requested = {
    id: uniqueId(),
    at: nowText(),
    asked: { tool: named, arguments: args },
    principal,
    face,
    options,
  };
  if (files !== undefined) requested.files = files;
  return requested;
}
