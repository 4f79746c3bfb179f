import { PlaneError } from "../model/errors.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { Provider, ProviderContext } from "../model/provider.ts";
import { RpcError, TransportError } from "../protocol/message.ts";
import type { RequestOptions } from "../protocol/request-options.ts";
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

/** What was not sent because the session was gone goes out again at once, over a new one. */
function whenAgain({ permanent, sent, status, retryAfterMs }: TransportError): {
  retryAt?: null;
  retryInMs?: number;
} {
  if (permanent) return { retryAt: null };
  if (retryAfterMs !== undefined) return { retryInMs: retryAfterMs };
  return sent || (status !== undefined && status !== 404) ? {} : { retryInMs: 0 };
}

/** What went wrong between us and a server, in our words. */
export function explainFailure(thrown: unknown, server: string, tool: string): unknown {
  if (thrown instanceof RpcError) {
    return new PlaneError("PROVIDER_FAILED", `Server '${server}' failed on '${tool}': ${thrown.message}`, {
      data: {
        server,
        sent: true,
        rpcCode: thrown.code,
        ...(thrown.data === undefined ? {} : { rpcData: thrown.data }),
      },
      cause: thrown,
    });
  }
  if (thrown instanceof TransportError) {
    return new PlaneError(
      "SERVER_UNAVAILABLE",
      `Server '${server}' was lost during '${tool}': ${thrown.message}.`,
      {
        data: { server, sent: thrown.sent, ...whenAgain(thrown) },
        cause: thrown,
      },
    );
  }
  return thrown;
}
