import type { Plane } from "../model/plane.ts";
import { type Caller, type KnownCaller, wholePrincipal } from "../model/principal.ts";
import { verbTable } from "./verb-table.ts";

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method | Record<string, Method>>;

/** Methods that are no operations, and which of their arguments is the caller. */
const ofTheLibrary: Readonly<Record<string, number>> = {
  toolset: 1,
  "agent.generateAll": 1,
  "events.list": 2,
  "events.onTransient": 1,
  "resources.watch": 2,
  "servers.extensions": 1,
  "servers.followLogs": 2,
  "servers.forward": 3,
  "servers.instructions": 1,
  "servers.sees": 1,
  "trust.decline": 1,
  "trust.unanswered": 0,
};

/** The same plane for one caller, who calls each method that is called without one. */
export function bindCaller(plane: object, caller: KnownCaller): Plane {
  const bound: Methods = { ...(plane as Methods) };
  const bind = (name: string, at: number) => {
    const [noun = "", verb] = name.split(".");
    const owner = bound[noun];
    if (verb === undefined) {
      if (typeof owner === "function") bound[noun] = withCaller(owner, at, caller);
    } else if (typeof owner === "object" && owner[verb] !== undefined)
      bound[noun] = { ...owner, [verb]: withCaller(owner[verb], at, caller) };
  };
  for (const { name, caller: callerIndex } of verbTable)
    if (callerIndex !== null) bind(name, callerIndex);
  for (const [name, callerIndex] of Object.entries(ofTheLibrary)) bind(name, callerIndex);
  return bound as unknown as Plane;
}

function withCaller(method: Method, callerIndex: number, caller: KnownCaller): Method {
  return (...args) => {
    const givenCaller = args[callerIndex] as Caller | undefined;
    if (givenCaller?.principal === undefined)
      args[callerIndex] = { ...caller, ...givenCaller, principal: caller.principal };
    else {
      const principal = wholePrincipal(givenCaller.principal);
      if (principal !== givenCaller.principal) args[callerIndex] = { ...givenCaller, principal };
    }
    return method(...args);
  };
}
