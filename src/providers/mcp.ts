import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Provider } from "../model/provider.ts";
import { RpcError, TransportError } from "../protocol/message.ts";
import type { RequestOptions } from "../protocol/peer.ts";

type RequestServer = (
  server: string,
  method: string,
  params: UnknownObject,
  options: RequestOptions,
) => Promise<unknown>;

/** Executes a tool on an MCP server: `config` names the server and its tool. */
export function createMcpProvider(request: RequestServer): Provider {
  return async ({ config }, args, { signal, onProgress }) => {
    const server = String(config.server);
    const tool = String(config.tool);
    try {
      return await request(server, "tools/call", { name: tool, arguments: args }, { signal, onProgress });
    } catch (thrown) {
      throw explain(thrown, server, tool);
    }
  };
}

function explain(thrown: unknown, server: string, tool: string): unknown {
  if (thrown instanceof RpcError) {
    return new PlaneError("PROVIDER_FAILED", `Server '${server}' failed on '${tool}': ${thrown.message}`, {
      data: { server, sent: true, rpcCode: thrown.code },
      cause: thrown,
    });
  }
  if (thrown instanceof TransportError) {
    return new PlaneError(
      "SERVER_UNAVAILABLE",
      `Server '${server}' was lost during '${tool}': ${thrown.message}.`,
      {
        data: { server, sent: thrown.sent, ...(thrown.permanent ? { retryAt: null } : {}) },
        cause: thrown,
      },
    );
  }
  return thrown;
}
