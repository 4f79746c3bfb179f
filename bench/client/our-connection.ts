import * as z from "zod/mini";
import { bundled } from "../../src/bundled.ts";
import { anonymous } from "../../src/model/principal.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";
import type { RequestOptions } from "../../src/protocol/session.ts";
import { createServerPool } from "../../src/servers/servers.ts";

/** The one place that knows how a connection of ours is opened and asked. */
export async function openOurConnection(command: string, args: readonly string[]) {
  const definition = z.parse(ServerDefinition, { transport: "stdio", command, args });
  const servers = createServerPool({
    definitions: { echo: definition },
    broken: {},
    environment: process.env,
    packages: bundled,
    resolveSecrets: async (_, known) => known,
    secretValues: () => [],
    emit: () => undefined,
    onTools: () => undefined,
    directoryOf: () => ".",
    defaultPrincipal: anonymous,
    maySee: () => true,
    trust: () => undefined,
    judge: async (_server, _kind, items) => items.map(() => null),
    takeTools: (_server, _definition, tools) => ({ tools, rejected: [] }),
    onKnown: () => undefined,
    known: async () => [],
    access: () => ({}),
    isOffline: false,
    opensForUser: () => false,
    isPersonal: () => false,
    onRemoved: () => undefined,
    listed: () => ({ tools: 1, rejected: [] }),
  });
  await servers.connect("echo");
  return {
    request: (method: string, params: Record<string, unknown>, options: RequestOptions) =>
      servers.request("echo", method, params, options),
    close: servers.stop,
  };
}
