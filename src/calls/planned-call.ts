import { TimeLimiter } from "../lib/async/time-limit.ts";
import type { Expiring, Spoke, TimeWheel } from "../lib/async/time-wheel.ts";
import { isTooDeep } from "../lib/json/exact-numbers.ts";
import { sizeOf } from "../lib/json/json-text.ts";
import { nowText, uniqueId } from "../lib/stamps.ts";
import { rounded } from "../lib/text/wording.ts";
import type { CallOptions, Executed, Input, Outcome, Routed, SucceededOutcome } from "../model/calls/call.ts";
import type { Verdict } from "../model/calls/call-schema.ts";
import type { ProgressReport } from "../model/calls/provider.ts";
import { normalizeResult, type ToolResult } from "../model/calls/result.ts";
import type { ProviderSpec, ToolId } from "../model/catalogue/tool.ts";
import { toPlaneError } from "../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../model/json.ts";
import type { PlaneCallOptions } from "../model/plane.ts";
import type { Face, Principal } from "../model/principal.ts";
import { type DirectCall, type DirectRequest, explainFailure, type Servers } from "../servers/servers.ts";
import type { RunningCall } from "../store/store.ts";
import { argumentsOf, createQuestions, sessionOwner } from "./attempt.ts";
import { type Begun, type ExecuteOptions, progressStretch } from "./execute.ts";
import type { Limits } from "./limits/limits.ts";
import { metaOf, takeAnswer } from "./providers/providers.ts";
import { type BegunRecord, presented, type RecordOptions, unrecorded } from "./record.ts";
import {
  begunEvent,
  plannedStages,
  type RecordPlan,
  samplesOfPlan,
  succeededEvent,
  writeRecord,
} from "./record-plan.ts";

export type Decided = {
  principal: Principal;
  tool: Routed["tool"];
  grant: Routed["grant"];
  /** Null where the arguments or the time decide. */
  verdict: Verdict | null;
  route: Routed["route"];
  spec: ProviderSpec;
  server: string;
  sendsKey: boolean;
  record: RecordPlan;
};

type Write = (
  record: ReturnType<typeof writeRecord>,
  samples: ReturnType<typeof samplesOfPlan>,
  running: RunningCall,
) => Promise<void> | void;

export type RunPorts = Pick<RecordOptions, "begin" | "emitClean" | "present" | "onEnded"> & {
  send: Servers["begin"];
  write: Write;
  checkOutput(schema: JsonObject, result: ToolResult): string[];
  limits: Limits;
  execution: Pick<ExecuteOptions, "onProgress" | "answer" | "fit">;
  /** The stages go on after the attempt. */
  goOn(call: Routed, begun: Begun, recorded: BegunRecord, given: PlaneCallOptions): Promise<Outcome>;
};

type Asked = {
  asked: string | ToolId;
  args: JsonObject;
  verdict: Verdict;
  options: CallOptions;
  face: Face;
};

/** Shorter text cannot be nested too deeply. */
const shallowLength = 1_000;
const nothing = Object.freeze({ values: Object.freeze({}) });

/** One call by a plan: validated, allowed, and ready to be sent. What is not a plain success goes on along the stages. */
export class PlannedCall implements Routed, DirectCall, Expiring {
  readonly id = uniqueId();
  readonly at = nowText();
  readonly asked: Routed["asked"];
  readonly principal: Principal;
  readonly face: Face;
  readonly options: CallOptions;
  readonly tool: Routed["tool"];
  readonly grant: Routed["grant"];
  readonly input: Input;
  readonly injected: Routed["injected"] = nothing;
  readonly approval: Verdict;
  readonly route: Routed["route"];
  executed: Executed["executed"] | undefined = undefined;
  readonly #plan: Decided;
  readonly #given: PlaneCallOptions;
  readonly #ports: RunPorts;
  #wheel: TimeWheel<PlannedCall> | undefined;
  #spoke: Spoke<PlannedCall> | undefined;
  #direct: DirectRequest | undefined;
  #running: RunningCall | undefined;
  #end: PromiseWithResolvers<Outcome> | undefined;
  /** Failed while it was sent. */
  #early: { thrown: unknown } | undefined;
  #limiter: TimeLimiter | undefined;
  #questions: ReturnType<typeof createQuestions> | undefined;
  #isExpired = false;
  #isOver = false;
  #startedAt = 0;
  #sentAt = 0;

  constructor(plan: Decided, { asked, args, verdict, options, face }: Asked, given: PlaneCallOptions, ports: RunPorts) {
    this.asked = { tool: asked, arguments: args };
    this.principal = plan.principal;
    this.face = face;
    this.options = options;
    this.tool = plan.tool;
    this.grant = plan.grant;
    this.input = { arguments: args, repaired: false, dropped: [] };
    this.approval = verdict;
    this.route = plan.route;
    this.#plan = plan;
    this.#given = given;
    this.#ports = ports;
  }

  /** Null where it could not be sent at once: nothing has happened then. */
  start(startedAt: number, wheel: TimeWheel<PlannedCall>): Promise<Outcome> | null {
    const { spec, server, sendsKey } = this.#plan;
    const { relay, cancellation } = this.#given;
    this.#startedAt = startedAt;
    this.#sentAt = performance.now();
    const meta = metaOf(relay?.meta, sendsKey ? this.id : undefined);
    const params = { name: spec.config.tool, arguments: argumentsOf(this, spec), ...meta };
    const direct = this.#ports.send(server, params, this, sessionOwner(this.principal, this.options.conversation));
    if (direct === null) return null;
    this.#direct = direct;
    this.#ports.limits.called(this, spec);
    this.#running = this.#ports.begin(begunEvent(this.#plan.record, this.id), this.principal);
    this.#end = Promise.withResolvers();
    if (this.#early) {
      this.failed(this.#early.thrown);
      return this.#end.promise;
    }
    this.#wheel = wheel;
    this.#spoke = wheel.add(this, this.route.limit.ms);
    if (cancellation) cancellation.listen(this);
    else this.#given.signal?.addEventListener("abort", this, { once: true });
    return this.#end.promise;
  }

  /** Resolves when it is over; for those under way. */
  done(): Promise<Outcome> | undefined {
    return this.#end?.promise;
  }

  cancel(reason: unknown): void {
    if (!this.#isOver) this.#direct?.cancel(reason);
  }

  handleEvent(): void {
    this.cancel(this.#given.signal?.reason);
  }

  expire(): void {
    this.#isExpired = true;
    this.cancel(new Error("time limit"));
  }

  get by(): string | null {
    return this.principal.user;
  }

  get onLog(): DirectCall["onLog"] {
    const { relay } = this.#given;
    return relay?.onLog && ((message) => relay.onLog?.(message));
  }

  onProgress(progress: ProgressReport): void {
    this.#timed().extend();
    this.#ports.execution.onProgress(this, progress);
    this.#given.relay?.onProgress?.(progress);
  }

  onRequest(method: string, params: UnknownObject, signal: AbortSignal): Promise<UnknownObject> {
    const limiter = this.#timed();
    const { relay } = this.#given;
    const { execution } = this.#ports;
    this.#questions ??= createQuestions(this, this.#plan.spec, { limiter, pass: undefined, relay }, execution);
    return this.#questions.take(method, params, signal);
  }

  /** A limit of its own, which can be extended and stopped: few calls need one. */
  #timed(): TimeLimiter {
    if (this.#limiter) return this.#limiter;
    const { ms } = this.route.limit;
    const ranMs = performance.now() - this.#sentAt;
    if (this.#spoke) this.#wheel?.remove(this.#spoke);
    const limiter = new TimeLimiter(ms, { capMs: ms * progressStretch - ranMs });
    if (ms > 0) limiter.extend(Math.max(0, ms - ranMs));
    limiter.signal.addEventListener("abort", () => this.expire(), { once: true });
    this.#limiter = limiter;
    return limiter;
  }

  failed(thrown: unknown): void {
    if (this.#end === undefined) this.#early = { thrown };
    else this.#goOn({ thrown });
  }

  answered(raw: unknown): void {
    const answeredAt = performance.now();
    const { result, warnings } = normalizeResult(raw);
    if (result !== raw || result.isError || !isPlainResult(result)) return this.#goOn({ raw });
    this.#leave();
    const { spec } = this.#plan;
    const { outputSchema } = this.tool;
    if (outputSchema) warnings.push(...this.#ports.checkOutput(outputSchema, result));
    const ms = rounded(answeredAt - this.#sentAt);
    const durationMs = rounded(answeredAt - this.#startedAt);
    const attempts = [{ provider: spec.name, ok: true, durationMs: ms, error: null }];
    this.executed = { result, provider: spec.name, attempts, warnings };
    const outcome: SucceededOutcome = {
      ok: true,
      call: {
        id: this.id,
        tool: this.tool.name,
        status: "succeeded",
        durationMs,
        provider: spec.name,
        attempts: 1,
        repaired: false,
        dropped: [],
        warnings,
      },
      result,
    };
    const shown = presented(this as Executed, outcome, this.#ports);
    if (shown instanceof Promise) void shown.then((given) => this.#record(outcome, given, ms));
    else this.#record(outcome, shown, ms);
  }

  #record(outcome: SucceededOutcome, shown: Outcome, ms: number): void {
    const { record } = this.#plan;
    const { durationMs } = outcome.call;
    const times = { validate: rounded(this.#sentAt - this.#startedAt), execute: ms };
    const written = writeRecord(record, this as Executed, { ...outcome, ...storedIn(shown) }, times);
    const safe = this.#ports.write(
      written,
      samplesOfPlan(record, this.at, durationMs, ms),
      this.#running as RunningCall,
    );
    if (!safe) return this.#finish(outcome, shown, ms);
    safe.then(
      () => this.#finish(outcome, shown, ms),
      (thrown) => this.#finish(outcome, unrecorded(shown, toPlaneError(thrown)), ms),
    );
  }

  #finish(outcome: SucceededOutcome, shown: Outcome, ms: number): void {
    const { server, record } = this.#plan;
    this.#ports.limits.worked(server);
    this.#ports.onEnded?.(this as Executed, outcome);
    this.#ports.emitClean(succeededEvent(record, this.id, outcome.call.durationMs, ms));
    this.#end?.resolve(shown);
  }

  #goOn(ended: { raw: unknown } | { thrown: unknown }): void {
    if (this.#isOver) return;
    this.#leave();
    const begun = { startedAt: this.#sentAt, isExpired: this.#isExpired, ...this.#taken(ended) };
    const stages = plannedStages({ validate: rounded(this.#sentAt - this.#startedAt) });
    const recorded = { startedAt: this.#startedAt, stages, running: this.#running as RunningCall };
    const { id, at, asked, principal, face, options, tool, grant, input, injected, approval, route } = this;
    const call = { id, at, asked, principal, face, options, tool, grant, input, injected, approval, route };
    this.#ports.goOn(call, begun, recorded, this.#given).then(this.#end?.resolve, this.#end?.reject);
  }

  /** As the provider gives it to the stages. */
  #taken(ended: { raw: unknown } | { thrown: unknown }): { raw: unknown } | { thrown: unknown } {
    const { spec, server } = this.#plan;
    try {
      if ("thrown" in ended) throw ended.thrown;
      return { raw: takeAnswer(spec, ended.raw, this.#given.relay?.continuation) };
    } catch (thrown) {
      return { thrown: explainFailure(thrown, server, String(spec.config.tool)) };
    }
  }

  #leave(): void {
    this.#isOver = true;
    if (this.#spoke) this.#wheel?.remove(this.#spoke);
    this.#limiter?.clear();
    this.#questions?.end();
    const { cancellation } = this.#given;
    if (cancellation) cancellation.leave(this);
    else this.#given.signal?.removeEventListener("abort", this);
  }
}

/** Neither a question of the server nor too deep. */
function isPlainResult(result: ToolResult): boolean {
  if (!isObject(result) || result.resultType !== undefined) return false;
  return (sizeOf(result) ?? Number.POSITIVE_INFINITY) <= shallowLength || !isTooDeep(result);
}

function storedIn({ stored }: Outcome): { stored?: { id: string } } {
  return stored === undefined ? {} : { stored };
}
