import type { ClientConnection, ClientStatus } from "../../model/config/setup.ts";
import { isObject } from "../../model/json.ts";
import { readData } from "../edit/edit-file.ts";
import {
  type ClientFile,
  clientFiles,
  entriesAt,
  isForFolder,
  isInstalled,
  placesIn,
  type Where,
} from "./client-files.ts";
import { type ClientName, clientNames, clientOf } from "./clients.ts";
import { gatewayConfig, ownName } from "./is-ourselves.ts";

/** Servers in the client's other files, or for this folder only: it goes on starting them. */
export function otherServers(client: ClientName, target: ClientFile, where: Where): ClientConnection["elsewhere"] {
  return clientFiles(client, where).flatMap((file) => {
    const data = tryRead(file.path);
    const places = placesIn(file, data).filter((place) => file.path !== target.path || isForFolder(place));
    const names = places.flatMap((place) => entriesAt(data, place)).map(({ name }) => name);
    const servers = [...new Set(names)].filter((name) => name !== ownName);
    const scope = file.isLegacy || file.path === target.path ? null : file.scope;
    return servers.length === 0 ? [] : { path: file.path, scope, servers };
  });
}

function tryRead(path: string): unknown {
  try {
    return readData(path);
  } catch {
    return undefined;
  }
}

/** Every client we know: is it here, which servers does it have, and is it connected? */
export function clientStatus(where: Where): ClientStatus[] {
  return clientNames().map((client) => {
    const seen = new Set<string>();
    const files = clientFiles(client, where).flatMap((file) => {
      const data = seen.has(file.path) ? undefined : tryRead(file.path);
      seen.add(file.path);
      const found = placesIn(file, data).flatMap((place) => entriesAt(data, place));
      return data === undefined ? [] : { scope: file.scope, path: file.path, found };
    });
    return {
      ...{ client, title: clientOf(client).title, isInstalled: isInstalled(client, where) },
      connected: files.flatMap(({ scope, path, found }) => {
        const own = found.find(({ name }) => name === ownName)?.entry;
        const config = isObject(own) ? gatewayConfig(own) : null;
        return config === null ? [] : { scope, path, config };
      }),
      files: files.map(({ scope, path, found }) => ({
        ...{ scope, path, servers: found.map(({ name }) => name).filter((name) => name !== ownName) },
      })),
    };
  });
}
