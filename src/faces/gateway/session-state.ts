import type { AsClient } from "../../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import { type LogLevel, logLevels } from "../../model/servers/server.ts";
import { RpcError } from "../../protocol/message.ts";
import { legacyVersions } from "../../protocol/session.ts";
import { objectParam } from "./request.ts";
import type { Surface } from "./surfaces.ts";

const maxWatched = 1_000;

/** The resources that one client watches. */
export function createWatched(plane: Plane, surface: Surface) {
  const watches = new Map<string, { server: string; uri: string; leave(): void }>();
  let isOver = false;
  return {
    async add(shown: string): Promise<void> {
      if (watches.has(shown)) return;
      if (watches.size >= maxWatched)
        throw new RpcError(
          -32602,
          `More than ${maxWatched} resources cannot be watched by one client.`,
        );
      const [resource] = await surface.offers.findResource(shown);
      if (!resource) throw new RpcError(-32602, `Resource not found: ${shown}`, { uri: shown });
      const leave = await plane.resources.watch(resource.server, resource.uri, {
        principal: surface.principal,
        face: "mcp",
      });
      if (isOver || watches.has(shown)) leave();
      else watches.set(shown, { ...resource, leave });
    },
    remove(shown: string): void {
      watches.get(shown)?.leave();
      watches.delete(shown);
    },
    all: () => [...watches.keys()],
    /** The address the client knows it by. */
    find: (server: string, uri: string) =>
      [...watches].find(([, watch]) => watch.server === server && watch.uri === uri)?.[0],
    clear(): void {
      isOver = true;
      for (const { leave } of watches.values()) leave();
      watches.clear();
    },
  };
}

/** Tells other planes what a client has settled here. */
export type SessionKeeper = {
  keep(settled: Pick<StoredSession, "version" | "client">): Promise<void>;
  change(change: (session: StoredSession) => StoredSession): Promise<void>;
  /** Another plane may wait for this message. */
  passOn(message: UnknownObject): void;
  /** Are loaded tools kept too? */
  keepsLoaded?: boolean;
};

export type SessionState = ReturnType<typeof createSessionState>;

/** All that another plane needs to continue the session. */
export function createSessionState(plane: Plane, surface: Surface, keeper?: SessionKeeper) {
  const watched = createWatched(plane, surface);
  const client: AsClient = { capabilities: {}, era: "legacy" };
  let version: string = "2025-03-26";
  let logLevel: LogLevel = "info";
  let letGoOfLogs: (() => void) | undefined;
  let stopTrying: (() => void) | undefined;
  let isClosed = false;

  function setLevel(level: LogLevel): void {
    logLevel = level;
    letGoOfLogs?.();
    letGoOfLogs = plane.servers.wantLogs(level);
    client.logLevel = level;
  }

  return {
    client,
    watched,
    version: () => version,
    logLevel: () => logLevel,
    settle(params: UnknownObject): void {
      version =
        legacyVersions.find((legacyVersion) => legacyVersion === params.protocolVersion) ??
        legacyVersions[0];
      client.capabilities = objectParam(params, "capabilities");
      if (isObject(params.clientInfo)) client.info = params.clientInfo;
    },
    keep: async () => keeper?.keep({ version, client }),
    async setLevel(level: LogLevel): Promise<void> {
      setLevel(level);
      await keeper?.change((session) => ({
        ...session,
        client: { ...session.client, logLevel: level },
      }));
    },
    async watch(uri: string): Promise<void> {
      await watched.add(uri);
      await keeper?.change((session) => ({
        ...session,
        watched: [...new Set([...session.watched, uri])],
      }));
    },
    async unwatch(uri: string): Promise<void> {
      watched.remove(uri);
      await keeper?.change((session) => ({
        ...session,
        watched: session.watched.filter((watchedUri) => watchedUri !== uri),
      }));
    },
    async keepLoaded(loaded: string[]): Promise<void> {
      if (keeper?.keepsLoaded) await keeper.change((session) => ({ ...session, loaded }));
    },
    /** From another plane. */
    adopt({ version: storedVersion, client: storedClient }: StoredSession): void {
      version = storedVersion;
      client.capabilities = storedClient.capabilities;
      if (storedClient.info) client.info = storedClient.info;
      const level = logLevels.find((candidate) => candidate === storedClient.logLevel);
      if (level !== undefined && level !== client.logLevel) setLevel(level);
    },
    /** Watches resources as soon as they can be watched. */
    async follow({ watched: storedUris }: StoredSession): Promise<void> {
      for (const uri of watched.all()) if (!storedUris.includes(uri)) watched.remove(uri);
      const missing = async () => {
        const attempts = await Promise.allSettled(storedUris.map((uri) => watched.add(uri)));
        return attempts.some(({ status }) => status === "rejected");
      };
      stopTrying?.();
      if (!(await missing()) || isClosed) return;
      // The server may still be starting.
      const leave = plane.on("server.connected", async () => {
        if (!(await missing())) leave();
      });
      stopTrying = leave;
    },
    close(): void {
      isClosed = true;
      stopTrying?.();
      letGoOfLogs?.();
      watched.clear();
    },
  };
}
