import { abortable } from "../lib/async/signals.ts";
import { limitTime } from "../lib/async/time-limit.ts";
import type { Requested, Resolved } from "../model/calls/call.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import { type Principal, requireScope } from "../model/principal.ts";
import { ended } from "./ended.ts";

export type FindTool = (
  asked: string | ToolId,
  principal: Principal,
  /** Told while its server is being installed. */
  onProgress?: Relay["onProgress"],
) => Tool | Promise<Tool>;

/** Finding a tool may mean starting its server, so the caller's limit and patience count from here. */
export function resolve(
  call: Requested,
  findTool: FindTool,
  signal?: AbortSignal,
  onProgress?: Relay["onProgress"],
): Resolved | Promise<Resolved> {
  // Before anything is started or told for somebody who may not call at all.
  requireScope(call.principal, "call", "call tools");
  const found = findTool(call.asked.tool, call.principal, onProgress);
  return found instanceof Promise ? wait(call, found, signal) : { ...call, tool: found };
}

async function wait(call: Requested, found: Promise<Tool>, signal: AbortSignal | undefined): Promise<Resolved> {
  const ms = call.options.timeoutMs ?? 0;
  const limiter = limitTime(ms, ms, signal);
  try {
    return { ...call, tool: await abortable(found, limiter.signal) };
  } catch (thrown) {
    if (!limiter.signal.aborted) throw thrown;
    const tool = typeof call.asked.tool === "string" ? call.asked.tool : call.asked.tool.tool;
    throw ended(limiter, { ms, setBy: "call" }, { tool }, " Its server is still starting.");
  } finally {
    limiter.clear();
  }
}
