import { gatewayConfigFiles, ownName } from "@toolplane/core/config/editing";
import type { ClientConnection, ClientStatus } from "@toolplane/core/model/config/setup";
import { type ClientPlace, clientFiles, isInstalled, type Where } from "./client-files.ts";
import { ClientText, isForFolder } from "./client-text.ts";
import { type ClientName, clientNames, clientOf } from "./clients.ts";

/** Servers of the client beside those that `connect` moves. */
export function otherServers(
  client: ClientName,
  target: ClientPlace,
  where: Where,
): ClientConnection["elsewhere"] {
  return clientFiles(client, where).flatMap((file) => {
    const text = tryRead(file);
    const places = text?.places.filter(
      (section) => file.path !== target.path || isForFolder(section),
    );
    const names = text?.entries(places).map(({ name }) => name) ?? [];
    const servers = [...new Set(names)].filter((name) => name !== ownName);
    const scope = file.isLegacy || file.path === target.path ? null : file.scope;
    if (servers.length === 0) return [];
    return { path: file.path, scope, servers };
  });
}

export function clientStatus(where: Where): ClientStatus[] {
  return clientNames().map((client) => {
    const seenPaths = new Set<string>();
    const files = clientFiles(client, where).flatMap((file) => {
      const text = seenPaths.has(file.path) ? null : tryRead(file);
      seenPaths.add(file.path);
      if (text === null) return [];
      return { scope: file.scope, path: file.path, entries: text.entries() };
    });
    return {
      client,
      title: clientOf(client).title,
      isInstalled: isInstalled(client, where),
      connected: files.flatMap(({ scope, path, entries }) => {
        const config = gatewayConfigFiles(entries.find(({ name }) => name === ownName)?.entry);
        if (config === null) return [];
        return { scope, path, config };
      }),
      files: files.map(({ scope, path, entries }) => ({
        scope,
        path,
        servers: entries.map(({ name }) => name).filter((name) => name !== ownName),
      })),
    };
  });
}

/** Null where there is nothing, or nothing that can be read. */
function tryRead(file: ClientPlace): ClientText | null {
  try {
    const text = ClientText.read(file);
    return text.data === undefined ? null : text;
  } catch {
    return null;
  }
}
