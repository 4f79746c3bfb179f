import { nowText, uniqueId } from "../lib/stamps.ts";
import type { Requested } from "../model/calls/call.ts";
import type { ToolId } from "../model/catalogue/tool.ts";
import type { PlaneCallOptions } from "../model/plane.ts";
import { narrow, type Principal } from "../model/principal.ts";

/** What somebody asks for, at the start of the path. */
export function requestCall(
  tool: string | ToolId,
  args: unknown,
  {
    principal,
    face = "library",
    files,
    signal: _signal,
    askHere: _askHere,
    relay: _relay,
    ...options
  }: PlaneCallOptions,
  defaultPrincipal: Principal,
): Requested {
  const caller = principal ?? defaultPrincipal;
  return {
    id: uniqueId(),
    at: nowText(),
    asked: { tool, arguments: args },
    principal: options.mcp === undefined ? caller : narrow(caller, { servers: readServers(options.mcp) }),
    face,
    options,
    ...(files === undefined ? {} : { files }),
  };
}

/** What is not understood leaves none; `authorize` tells what is wrong with it. */
function readServers(mcp: unknown): boolean | string[] {
  return typeof mcp === "boolean" || isTexts(mcp) ? mcp : false;
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
