import { uniqueId } from "../lib/unique-id.ts";
import type { Requested } from "../model/call.ts";
import type { PlaneCallOptions } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { ToolId } from "../model/tool.ts";

/** What somebody asks for, at the start of the path. */
export function requestCall(
  tool: string | ToolId,
  args: unknown,
  { principal, face = "library", signal: _, ...options }: PlaneCallOptions,
  everybody: Principal,
): Requested {
  return {
    id: uniqueId(),
    at: new Date().toISOString(),
    asked: { tool, arguments: args },
    principal: principal ?? everybody,
    face,
    options,
  };
}
