import type { ServerDefinition, Transport } from "../../model/servers/server.ts";
import { type Channel, type ChannelHandlers, TransportError } from "../../protocol/message.ts";
import type { RequestCredentials } from "./http-request.ts";
import { openMemory } from "./memory.ts";
import type { ServerPackages } from "./packages.ts";
import { openStdio } from "./stdio.ts";

type Opening = {
  definition: ServerDefinition;
  parentEnvironment: Readonly<Record<string, string | undefined>>;
  handlers: ChannelHandlers;
  packages: ServerPackages;
  access: RequestCredentials;
  signal: AbortSignal | undefined;
};

/** How each transport is opened. Loaded when needed: Node's HTTP stack loads longer than a stdio server starts. */
const openers: Record<Transport, (opening: Opening) => Promise<Channel>> = {
  async stdio({ definition, parentEnvironment, handlers, packages }) {
    const { container, cwd, ...line } = definition;
    if (container) {
      const { openContainer } = await packages.containers();
      return openContainer({ ...definition, container, parentEnvironment }, handlers);
    }
    const command = required("command", definition);
    return openStdio({ ...line, command, cwd, parentEnvironment }, handlers);
  },
  async http({ definition, handlers, access }) {
    const { openHttp } = await import("./http.ts");
    return openHttp(remoteOf(definition, access), handlers);
  },
  async sse({ definition, handlers, access }) {
    const { openSse } = await import("./sse.ts");
    return openSse(remoteOf(definition, access), handlers);
  },
  async websocket({ definition, handlers, access }) {
    const { openWebSocket } = await import("./websocket.ts");
    return openWebSocket(
      { ...remoteOf(definition, access), pingMs: definition.pingIntervalMs },
      handlers,
    );
  },
  async openapi({ definition, handlers, packages, access }) {
    const { openApi } = await packages.openapi();
    return openApi(definition, handlers, access);
  },
  async skills({ definition, handlers }) {
    const { openSkills } = await import("../skill-folders/open-skills.ts");
    return openSkills(required("skills", definition), handlers);
  },
  memory: ({ definition, handlers }) =>
    openMemory(required("url", definition), definition.maxMessageBytes, handlers),
  async extension({ definition, handlers, access, signal }) {
    const { openAdded } = await import("./added.ts");
    return openAdded(required("url", definition), access.findTransport, handlers, signal);
  },
};

export function openChannel(
  definition: ServerDefinition,
  parentEnvironment: Opening["parentEnvironment"],
  handlers: ChannelHandlers,
  packages: ServerPackages,
  access: RequestCredentials = {},
  signal?: AbortSignal,
): Promise<Channel> {
  return openers[definition.transport]({
    definition,
    parentEnvironment,
    handlers,
    packages,
    access,
    signal,
  });
}

function remoteOf(definition: ServerDefinition, access: RequestCredentials) {
  const { headers, maxMessageBytes } = definition;
  return { url: required("url", definition), headers, maxMessageBytes, ...access };
}

function required(
  key: "command" | "url" | "skills",
  { transport, [key]: value }: ServerDefinition,
): string {
  if (value !== undefined) return value;
  const reason = `transport '${transport}' needs '${key}'. Add it to the server`;
  throw new TransportError(reason, { sent: false, permanent: true });
}
