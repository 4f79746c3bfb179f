import type { ServerDefinition } from "../model/server.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../protocol/message.ts";
import { openStdio } from "./transports/stdio.ts";

/** Node's HTTP stack takes longer to load than a stdio server to start, so it is loaded only when needed. */
export async function openChannel(
  definition: ServerDefinition,
  parentEnvironment: Readonly<Record<string, string | undefined>>,
  handlers: ChannelHandlers,
): Promise<Channel> {
  const { transport, command, url } = definition;
  if (transport === "stdio" && command !== undefined) {
    return openStdio({ ...definition, command, cwd: definition.cwd, parentEnvironment }, handlers);
  }
  if (transport === "http" && url !== undefined) {
    const { openHttp } = await import("./transports/http.ts");
    return openHttp({ url, headers: { ...definition.headers, ...authHeaders(definition.auth) } }, handlers);
  }
  throw new TransportError(`transport '${transport}' is not supported yet; use stdio or http`, {
    sent: false,
  });
}

/** An empty token is no token, so it makes no header. */
function authHeaders(auth: ServerDefinition["auth"]): Record<string, string> {
  if (!auth?.token || auth.type === "none") return {};
  return auth.type === "api_key" ? { [auth.header]: auth.token } : { authorization: `Bearer ${auth.token}` };
}
