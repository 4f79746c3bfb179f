import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Provider, ProviderContext } from "../../model/provider.ts";
import { RpcError } from "../../protocol/message.ts";
import type { RequestOptions } from "../../protocol/request-options.ts";
import { explainFailure } from "../../servers/servers.ts";
import { mapArguments, pickResult } from "./mapping.ts";

type RequestServer = (
  server: string,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
  owner: ProviderContext["owner"],
) => Promise<unknown>;

/** Executes a tool on an MCP server: `config` names the server and its tool, and what they call things. */
export function createMcpProvider(request: RequestServer): Provider {
  return async ({ config }, args, { owner, idempotencyKey, meta, ...context }) => {
    const server = String(config.server);
    const tool = String(config.tool);
    try {
      const params = {
        name: tool,
        arguments: mapArguments(config.argumentMap, args),
        ...metaOf(meta, idempotencyKey),
      };
      const result = await request(server, "tools/call", params, context, owner);
      if (isResult(result) || (context.continuation && isQuestion(result)))
        return pickResult(config.resultPath, result);
      throw new RpcError(-32603, "its answer is no result of a tool: 'content' is missing");
    } catch (thrown) {
      throw explainFailure(thrown, server, tool);
    }
  };
}

function metaOf(said: UnknownObject | undefined, key: string | undefined): { _meta?: UnknownObject } {
  if (key === undefined) return said === undefined ? {} : { _meta: said };
  return { _meta: { ...said, "toolplane/idempotencyKey": key } };
}

/** What the caller has to answer before there is a result. */
function isQuestion(result: unknown): boolean {
  return isObject(result) && result.resultType === "input_required";
}

/** Bare values are taken for what they are; nothing at all is not. */
function isResult(result: unknown): boolean {
  if (!isObject(result)) return result !== null && result !== undefined;
  const { content, structuredContent, toolResult } = result;
  return content ? true : structuredContent !== undefined || toolResult !== undefined;
}
