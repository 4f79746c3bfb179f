import type { Requested, Resolved } from "../model/call.ts";
import type { Tool, ToolId } from "../model/tool.ts";

export type FindTool = (asked: string | ToolId) => Promise<Tool>;

export async function resolve(call: Requested, findTool: FindTool): Promise<Resolved> {
  return { ...call, tool: await findTool(call.asked.tool) };
}
