import type { ServerDefinition } from "../model/server.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../protocol/message.ts";
import type { Access } from "./transports/http-request.ts";
import { openStdio } from "./transports/stdio.ts";

/** Node's HTTP stack takes longer to load than a stdio server to start, so it is loaded only when needed. */
export async function openChannel(
  definition: ServerDefinition,
  parentEnvironment: Readonly<Record<string, string | undefined>>,
  handlers: ChannelHandlers,
  access: Access = {},
): Promise<Channel> {
  const { transport, command, url, maxMessageBytes } = definition;
  if (transport === "stdio") {
    if (command === undefined) throw missing("command", transport);
    const { args, env, cwd, inheritEnv } = definition;
    return openStdio({ command, args, env, cwd, inheritEnv, parentEnvironment, maxMessageBytes }, handlers);
  }
  if (url === undefined) throw missing("url", transport);
  const options = { url, headers: definition.headers, maxMessageBytes, ...access };
  if (transport === "websocket") {
    const { openWebSocket } = await import("./transports/websocket.ts");
    return openWebSocket({ ...options, pingMs: definition.pingIntervalMs }, handlers);
  }
  if (transport === "sse") {
    const { openSse } = await import("./transports/sse.ts");
    return openSse(options, handlers);
  }
  const { openHttp } = await import("./transports/http.ts");
  return openHttp(options, handlers);
}

function missing(key: string, transport: string): TransportError {
  return new TransportError(`transport '${transport}' needs '${key}'. Add it to the server`, {
    sent: false,
    permanent: true,
  });
}
