import type { ToolId } from "../../model/catalogue/tool.ts";
import { mayBelongTo } from "../../model/catalogue/tool-name.ts";
import type { Config } from "../../model/config/config.ts";
import type { Principal } from "../../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { Recorder } from "../../store/store.ts";
import { createBundleVerbs } from "../bundles/bundles.ts";
import { createOverlayVerbs, overlaysInForce } from "../overlays/overlays.ts";
import { createRegistry, idsOf, type Registry } from "../registry.ts";
import { createHandWritten, type HandWritten } from "../sources/hand-written.ts";
import { createChangeVerbs } from "./change-verbs.ts";
import { createEntryStore } from "./entries.ts";
import { describeEntry } from "./entry.ts";
import { withOwnChanges } from "./entry-origin.ts";
import { createChangeHistory } from "./history.ts";

export type CatalogueEntriesPorts = {
  recorder: Pick<Recorder, "store" | "knownServers" | "emit" | "outlivesUs" | "configuration">;
  /** Of the key that signs bundles. */
  directory: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  checkTool: Parameters<typeof createHandWritten>[0]["checkTool"];
  defaultPrincipal: Principal;
  config(): Config;
  builtin(config: Config): readonly HandWritten[];
  maySeeServer(principal: Principal, server: string): boolean;
  onEntries(): void;
  /** Where callers work who do not say it. */
  home: string | null;
  servers(): {
    names(): string[];
    discover(names: readonly string[], how: { waitMs: number }): Promise<void>;
  };
};

/** The source of hand-written tools in the registry; no server can have this name. */
const handWrittenSource = "";
/** For finding out whether a server has a tool of that name. */
const discoveryWaitMs = 5_000;

export function createCatalogueEntries(ports: CatalogueEntriesPorts) {
  const { recorder, directory, environment, defaultPrincipal, config } = ports;
  const { emit, outlivesUs, configuration } = recorder;
  const store = async () => withOwnChanges(await recorder.store(), configuration());
  let latestRevision = 0;
  const storePorts = { store, outlivesUs, revision: () => latestRevision };
  const registry = createRegistry(
    (change) => {
      latestRevision = change.revision;
      emit({ type: "registry.changed", ...change });
    },
    defaultPrincipal.user,
    ports.home,
  );
  const history = createChangeHistory(storePorts);
  const handWritten = createHandWritten({
    publish: (translation) => registry.setSource(handWrittenSource, translation),
    publishOverlays: registry.setOverlays,
    checkTool: ports.checkTool,
    builtin: ports.builtin,
    onRegistered: (manifest, isRegistered) =>
      history.registered(
        describeEntry({ kind: "tool", manifest, source: "library" }),
        isRegistered,
      ),
  });
  const entries = createEntryStore({
    ...storePorts,
    environment,
    config,
    configuration,
    history,
    publish(tools) {
      handWritten.setStored(tools);
      ports.onEntries();
    },
    publishOverlays: handWritten.setStoredOverlays,
  });
  const shared = { entries, environment, discovered: createDiscovered(ports.servers, registry) };
  const changes = createChangeVerbs({
    ...shared,
    store,
    configuration,
    maySeeServer: ports.maySeeServer,
    settled: history.settled,
    isRegistered: handWritten.isRegistered,
    overlays: () => overlaysInForce({ entries, registry }),
    listed: (name) => listedTool(registry, name),
    warningsOf: (id) => registry.snapshot().byId(id)?.warnings ?? [],
  });
  return {
    registry,
    handWritten,
    verbs: {
      tools: {
        register: handWritten.register,
        unregister: handWritten.unregister,
        ...changes.tools,
        ...createOverlayVerbs({ ...shared, registry }),
      },
      registry: {
        ...changes.registry,
        ...createBundleVerbs({
          ...shared,
          directory,
          trustedKeys: () => config().bundles.trustedKeys,
        }),
      },
    },
    loaded: entries.loaded,
    reload: entries.reload,
    manifests: entries.manifests,
    /** The stored listings of servers, to which their next listings are compared. */
    known: async (identities: readonly string[]) =>
      history.recalled(await recorder.knownServers(identities)),
    onKnown: (knownServer: KnownServer, name: string, definition: ServerDefinition) =>
      history.listed(
        { name, definition, era: knownServer.era, size: registry.listed(name).tools },
        knownServer,
      ),
    settled: history.settled,
  };
}

/** A bare name may be any server's tool; every other spelling names its server. */
function createDiscovered(servers: CatalogueEntriesPorts["servers"], registry: Registry) {
  return async (name: string): Promise<ToolId | null> => {
    const { names, discover } = servers();
    const candidates = names().filter((server) => mayBelongTo(server, name));
    if (candidates.length === 0) return null;
    await discover(candidates, { waitMs: discoveryWaitMs });
    return listedTool(registry, name);
  };
}

function listedTool(registry: Registry, name: string): ToolId | null {
  const ids = idsOf(registry.snapshot().index.find(name));
  return ids.find(({ server, tool }) => server !== null && tool !== name) ?? null;
}
