import type { IncomingHttpHeaders } from "node:http";
import { withExactNumbers } from "../../../lib/json/exact-numbers.ts";
import type { Plane } from "../../../model/plane.ts";
import type { ShownTool } from "../../../model/plane-tools.ts";
import {
  decodeHeaderValue,
  hasParamHeaders,
  paramHeaders,
} from "../../../protocol/http-headers.ts";
import { findPageCall } from "../apps/page-calls.ts";
import { compare } from "../envelope.ts";
import { objectParam, type Request, type RequestContext, type RpcFailure } from "../request.ts";
import type { ToolList } from "../tool-list.ts";

type Compared = RpcFailure | null;

/** Arguments that a tool wants in headers, too. At once where the list of tools is current and has the name. */
export function compareParams(
  { method, params }: Request,
  headers: IncomingHttpHeaders,
  { plane, tools, context }: { plane: Plane; tools: ToolList; context: RequestContext },
): Compared | Promise<Compared> {
  const { name } = params;
  if (method !== "tools/call" || typeof name !== "string") return null;
  const listed = tools.now()?.get(name);
  if (listed !== undefined) return compareMirrored(listed, params, headers);
  const called = findPageCall(name, params, context).then((page) =>
    findCalled(page?.tool ?? name, plane, tools, context),
  );
  return called.then((tool) => compareMirrored(tool, params, headers));
}

type CalledTool = Pick<ShownTool, "parameters">;

/** By any spelling that the plane takes. Undefined where the call itself will say what is wrong. */
async function findCalled(
  called: Parameters<Plane["tools"]["get"]>[0],
  plane: Plane,
  tools: ToolList,
  { principal }: RequestContext,
): Promise<CalledTool | undefined> {
  const listed = typeof called === "string" ? await tools.find(called) : undefined;
  if (listed !== undefined) return listed;
  try {
    return await plane.tools.get(called, { principal, face: "mcp" });
  } catch {
    return undefined;
  }
}

function compareMirrored(
  tool: CalledTool | undefined,
  params: Request["params"],
  headers: IncomingHttpHeaders,
): Compared {
  if (!tool || !hasParamHeaders(tool.parameters)) return null;
  const mirrored = paramHeaders(
    tool.parameters,
    withExactNumbers(objectParam(params, "arguments")),
  );
  for (const [header, value] of Object.entries(mirrored)) {
    const problem = compare(header, headers, decodeHeaderValue(value) ?? value);
    if (problem) return problem;
  }
  return null;
}
