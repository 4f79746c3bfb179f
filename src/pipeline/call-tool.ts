import type { Executed, Requested, Routed } from "../model/call.ts";
import { type Ask, approve, type Decide } from "./approve.ts";
import { authorize, type GrantFor } from "./authorize.ts";
import { type ExecuteOptions, execute } from "./execute.ts";
import { inject, type ValueFor } from "./inject.ts";
import type { Recorder } from "./record.ts";
import { type FindTool, resolve } from "./resolve.ts";
import { type RouteOptions, route } from "./route.ts";
import { type CheckArguments, validate } from "./validate.ts";

export type Path = {
  findTool: FindTool;
  grantFor: GrantFor;
  checkArguments: CheckArguments;
  valueFor: ValueFor;
  decide: Decide;
  ask: Ask;
  routing: RouteOptions;
  execution: Omit<ExecuteOptions, "signal">;
  record: Recorder;
};

export type CallTool = (call: Requested, signal?: AbortSignal) => ReturnType<Recorder>;

/** The one path: resolve, authorize, validate, inject, approve, route, execute; record wraps the rest. */
export function createCallTool(path: Path): CallTool {
  return (requested, signal) =>
    path.record(requested, async (step): Promise<Routed | Executed> => {
      const resolved = await step("resolve", () => resolve(requested, path.findTool, signal));
      const authorized = await step("authorize", () => authorize(resolved, path.grantFor));
      const validated = await step("validate", () => validate(authorized, path.checkArguments));
      const injected = await step("inject", () => inject(validated, path.valueFor));
      const approved = await step("approve", () => approve(injected, path.decide, path.ask));
      const routed = await step("route", () => route(approved, path.routing));
      if (requested.options.dryRun) return routed;
      return step("execute", () => execute(routed, { ...path.execution, signal }));
    });
}
