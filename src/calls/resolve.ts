import { type CancelledBy, orCancelled } from "../lib/async/cancellation.ts";
import { TimeLimiter } from "../lib/async/time-limit.ts";
import type { Requested, Resolved } from "../model/calls/call.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import { requireScope } from "../model/principal.ts";
import { endedError } from "./attempt.ts";
import { accessRequestOf } from "./authorize.ts";
import type { FindTool } from "./lookup.ts";

/** Finding a tool may start its server, so the caller's time limit and signal count from here. */
export function resolve(
  call: Requested,
  findTool: FindTool,
  caller?: CancelledBy,
  onProgress?: Relay["onProgress"],
): Resolved | Promise<Resolved> {
  // First, so that a caller without the scope starts nothing and learns nothing.
  requireScope(call.principal, "call", "call tools");
  // A wrong `mcp` leaves no server, and would look like an unknown tool.
  if (call.options.mcp !== undefined) accessRequestOf(call.options);
  const tool = findTool(call.asked.tool, call.principal, onProgress);
  if (tool instanceof Promise) return wait(call, tool, caller);
  return withTool(call, tool);
}

function withTool(call: Requested, tool: Tool): Resolved {
  const resolved = call as Resolved;
  resolved.tool = tool;
  return resolved;
}

async function wait(
  call: Requested,
  pendingTool: Promise<Tool>,
  caller: CancelledBy,
): Promise<Resolved> {
  const ms = call.options.timeoutMs ?? 0;
  const limiter = new TimeLimiter(ms, { capMs: ms, caller });
  try {
    return withTool(call, await orCancelled(pendingTool, limiter));
  } catch (thrown) {
    if (!limiter.isCancelled) throw thrown;
    const tool = typeof call.asked.tool === "string" ? call.asked.tool : call.asked.tool.tool;
    throw endedError(limiter, { ms, setBy: "call" }, { tool }, " Its server is still starting.");
  } finally {
    limiter.clear();
  }
}
