import type { Profile } from "../access/access.ts";
import type { Snapshot } from "../catalogue/catalogue.ts";
import { createTimeWheel } from "../lib/async/time-wheel.ts";
import type { Injected, Routed } from "../model/calls/call.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import type { Config } from "../model/config/config.ts";
import type { JsonObject } from "../model/json.ts";
import type { PlaneCallOptions } from "../model/plane.ts";
import type { Face, KnownCaller, Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";
import { planGrant } from "./authorize.ts";
import type { Path } from "./call-tool.ts";
import { idempotencyKeyOf } from "./execute.ts";
import { type Decided, PlannedCall, type RunPorts } from "./planned-call.ts";
import { planRecord } from "./record-plan.ts";
import { planRoute } from "./route.ts";
import { readPlain } from "./validate.ts";

/** What was decided for one caller, tool and face before there are arguments, and what it was decided on. */
export type Plan = {
  face: Face;
  on: Standing;
  /** Null where the stages have more to do than a plan does. */
  decided: Decided | null;
};

/** Each is a new object, or another value, once something of it has changed. */
type Standing = { config: Config; snapshot: Snapshot; quality: object; profile: Profile };

export type PlanPorts = RunPorts & {
  path: Path;
  config(): Config;
  snapshot(viewer: Principal): Snapshot;
  standing(): object | null;
  profile(): Profile | Promise<Profile>;
  /** A tool that was found before under this name. */
  recall(asked: string | ToolId, principal: Principal): Tool | undefined;
  isHeld(tool: Tool): boolean;
  isSettled: Servers["isSettled"];
  /** All records are safe. */
  isCalm(): boolean;
  isTraced(): boolean;
};

/** Plans of one caller; more are made again. */
const maxPlans = 1_000;

/** A call is planned once and run many times: the plan falls with whatever it was decided on. */
export function createPlans(ports: PlanPorts) {
  const { path, limits } = ports;
  const known = new WeakMap<Principal, Map<string | ToolId, Plan>>();
  const wheel = createTimeWheel<PlannedCall>();

  function standing(principal: Principal): Standing | null {
    const quality = ports.standing();
    const profile = ports.profile();
    if (quality === null || profile instanceof Promise) return null;
    return { config: ports.config(), snapshot: ports.snapshot(principal), quality, profile };
  }

  function isStanding({ config, snapshot, quality, profile }: Standing, principal: Principal): boolean {
    return (
      config === ports.config() &&
      snapshot === ports.snapshot(principal) &&
      quality === ports.standing() &&
      profile === ports.profile()
    );
  }

  function planOf(asked: string | ToolId, principal: Principal, face: Face): Decided | null {
    let plans = known.get(principal);
    const plan = plans?.get(asked);
    if (plan && plan.face === face && isStanding(plan.on, principal)) return plan.decided;
    const on = standing(principal);
    if (on === null) return null;
    const decided = decide(asked, principal, face, on);
    // Known only once its server has listed it.
    if (decided === undefined) return null;
    if (!plans || plans.size >= maxPlans) plans = new Map();
    known.set(principal, plans);
    plans.set(asked, { face, on, decided });
    return decided;
  }

  /** Undefined where the tool must be looked for first. */
  function decide(asked: string | ToolId, principal: Principal, face: Face, on: Standing): Decided | null | undefined {
    const tool = ports.recall(asked, principal);
    if (tool === undefined) return undefined;
    if (ports.isHeld(tool) || tool.id.kind || tool.injects.length > 0 || tool.metadata.state !== undefined) return null;
    if ((path.around?.(tool) ?? null) !== null) return null;
    const grant = planGrant(principal, tool, path.grantFor);
    const route = planRoute(principal, tool, path.routing);
    const [spec] = route?.candidates ?? [];
    if (grant === null || route === null || spec === undefined || !limits.isFree(tool, spec)) return null;
    const { server, argumentMap, resultPath } = spec.config;
    if (typeof server !== "string" || argumentMap !== undefined || resultPath !== undefined) return null;
    const facts = { principal, tool, grant, route };
    const isConstant = on.config.policy.rules.every((rule) => rule.arguments === undefined && rule.time === undefined);
    const verdict = isConstant ? verdictOn({ ...facts, face, options: {} }, {}) : null;
    if (isConstant && verdict === null) return null;
    const sendsKey = idempotencyKeyOf({ ...facts, id: "-", options: {} } as Routed) !== undefined;
    return { ...facts, verdict, spec, server, sendsKey, record: planRecord(tool, principal, face, spec.name) };
  }

  function verdictOn(facts: Pick<Injected, "principal" | "tool" | "grant" | "face" | "options">, args: JsonObject) {
    const input = { arguments: args, repaired: false, dropped: [] };
    const verdict = path.approval.decide({ ...facts, input, injected: { values: {} } } as unknown as Injected);
    return verdict instanceof Promise || verdict.verdict !== "allow" ? null : verdict;
  }

  function begin(asked: string | ToolId, args: unknown, given: PlaneCallOptions & KnownCaller): PlannedCall | null {
    const { principal, face = "library", conversation } = given;
    if (!isPlain(given) || (conversation !== undefined && face !== "mcp")) return null;
    if (!ports.isCalm() || ports.isTraced() || (path.hooks?.() ?? null) !== null) return null;
    const plan = planOf(asked, principal, face);
    if (plan === null || !limits.isClosed(plan.server)) return null;
    if (!ports.isSettled([plan.server], { user: principal.user, conversation: null })) return null;
    const read = readPlain(plan.tool, args ?? {}, path.checkArguments);
    if (read === null) return null;
    const options = conversation === undefined ? {} : { conversation };
    const verdict = plan.verdict ?? verdictOn({ ...plan, face, options }, read);
    return verdict === null ? null : new PlannedCall(plan, { asked, args: read, verdict, options, face }, given, ports);
  }

  return {
    /** Null where the stages must look at the call; nothing has happened then. */
    run(asked: string | ToolId, args: unknown, given: PlaneCallOptions & KnownCaller) {
      const startedAt = performance.now();
      const call = begin(asked, args, given);
      return call === null ? null : call.start(startedAt, wheel);
    },
    /** Those under way. */
    running: () => wheel.all(),
  };
}

const plainOptions: ReadonlySet<string> = new Set([
  "face",
  "principal",
  "conversation",
  "signal",
  "cancellation",
  "relay",
  "askHere",
]);

/** No option that a stage would have to look at. */
function isPlain(given: PlaneCallOptions): boolean {
  for (const name in given)
    if (!plainOptions.has(name) && given[name as keyof PlaneCallOptions] !== undefined) return false;
  if (given.cancellation?.isCancelled || (given.cancellation === undefined && given.signal?.aborted)) return false;
  const { relay } = given;
  if (relay === undefined) return true;
  return relay.onOwnTool === undefined && (relay.continuation === undefined || isEmpty(relay.continuation));
}

function isEmpty(value: object): boolean {
  for (const _ in value) return false;
  return true;
}
