import type { IncomingMessage, ServerResponse } from "node:http";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { credentialFrom } from "./identity.ts";
import { createOriginCheck } from "./origin.ts";
import { sendProblem } from "./render.ts";

const path = "/mcp";

/** Answers at the MCP endpoint; who asks is known by then. */
export type McpHandler = (request: IncomingMessage, response: ServerResponse, principal: Principal) => void;

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** The MCP endpoint without a framework in between; everything else goes on to `others`. */
export function createMcpFront(
  plane: Plane,
  host: string,
  handle: McpHandler,
  others: Listener,
  allowHosts: readonly string[] = [],
): Listener {
  const refuseOrigin = createOriginCheck(host, allowHosts);

  async function identify(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { authorization, "x-api-key": key } = request.headers;
      const credential = credentialFrom(authorization, typeof key === "string" ? key : undefined);
      handle(request, response, await plane.identify(credential));
    } catch (thrown) {
      refuse(response, thrown);
    }
  }

  return (request, response) => {
    if (!isMcp(request.url ?? "")) return others(request, response);
    const refused = refuseOrigin(request.headers.host, request.headers.origin);
    if (refused) return refuse(response, refused);
    void identify(request, response);
  };
}

function isMcp(url: string): boolean {
  return url === path || url.startsWith(`${path}?`);
}

/** In the same words as everywhere else over HTTP. */
function refuse(response: ServerResponse, thrown: unknown): void {
  sendProblem(response, thrown);
  // What was sent with it is not read, and yet taken, so that the answer is.
  response.req.resume();
}
