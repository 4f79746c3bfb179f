import { maskSecrets } from "../../config/secrets/mask.ts";
import type { ToolId } from "../../model/catalogue/tool.ts";
import { mayBelongTo } from "../../model/catalogue/tool-name.ts";
import type { Config, Manifests } from "../../model/config/config.ts";



import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import type { KnownServer, ServerDefinition } from "../../model/servers/server.ts";
import type { Verbs } from "../../model/verbs.ts";

import type { Recorder } from "../../store/store.ts";
import { createBundleVerbs } from "../bundles/bundles.ts";
import { createOverlayVerbs, inForce } from "../overlays/overlays.ts";
import { createRegistry, type Registry } from "../registry.ts";
import { createHandWritten, type HandWrittenParts, type HandWrittenTools } from "../sources/hand-written.ts";
import { createChangeVerbs } from "./change-entries.ts";
import { describeEntry } from "./describe-entry.ts";
import { createEntries, storedSource } from "./entries.ts";
import { createChangeHistory } from "./history.ts";
import { createWorkDeletion } from "./work-delete.ts";

type Parts = {
  memory: Pick<Recorder, "store" | "knownServers" | "emit" | "outlivesUs">;
  directory: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  defaultPrincipal: Principal;
  config(): Config;
  builtin: HandWrittenParts["builtin"];
  checkTool: HandWrittenParts["checkTool"];
  maySeeServer(principal: Principal, server: string): boolean;
  /** What people set is another now. */
  onEntries(): void;
  servers(): {
    names(): string[];
    discover(names: readonly string[], how: { waitMs: number }): Promise<void>;
  };
};

type WrittenVerbs = Pick<
  Verbs,
  | "overlay"
  | "previewOverlay"
  | "setTool"
  | "deleteTool"
  | "deleteEntry"
  | "changes"
  | "exportBundle"
  | "importBundle"
  | "register"
  | "unregister"
>;

export type Written = {
  registry: Registry;
  tools: HandWrittenTools;
  verbs: WrittenVerbs;
  /** What people set is in the catalogue. */
  loaded(): Promise<void>;
  /** The same methods, each once that is so. */
  whenLoaded<T extends object>(verbs: T): T;
  /** The configuration is another one. */
  reload(): Promise<void>;
  /** Skills, tasks and jobs of files and of people who set them. */
  manifests(): Manifests;
  /** What is kept of servers, to which their next listing is compared. */
  known(identities: readonly string[]): Promise<KnownServer[]>;
  onKnown(known: KnownServer, server: string, definition: ServerDefinition): void;
  /** What changed is written down. */
  settled(): Promise<void>;
};

/** Where the tools that people wrote come from; no server can have this name. */
const handWrittenSource = "";
/** How long it may take to find out whether a server has a tool of that name. */
const waitMs = 5_000;

/** The catalogue, with everything in it that people wrote and what is told of its changes. */
export function createWritten(parts: Parts): Written {
  const { memory, directory, environment, defaultPrincipal, config } = parts;
  const { store, emit } = memory;
  let latest = 0;
  const registry = createRegistry((change) => {
    latest = change.revision;
    emit({ type: "registry.changed", ...change });
  });
  const revision = () => latest;
  const { outlivesUs } = memory;
  const mask = (value: unknown) => maskSecrets(value);
  const history = createChangeHistory({ store, outlivesUs, revision, mask });
  const tools = createHandWritten({
    publish: (translation) => registry.setSource(handWrittenSource, translation),
    checkTool: parts.checkTool,
    builtin: parts.builtin,
    publishOverlays: registry.setOverlays,
    onRegistered: (manifest, isThere) => history.registered(describeEntry("tool", manifest, "library", mask), isThere),
  });
  const entries = createEntries({
    store,
    outlivesUs,
    environment,
    config,
    revision,
    history,
    publish: (set) => {
      tools.keep(set.map((manifest) => ({ manifest, source: storedSource })));
      parts.onEntries();
    },
    publishOverlays: tools.keepOverlays,
  });

  /** A bare name is anybody's; every other spelling of a server's tool is its own. */
  async function discovered(name: string): Promise<ToolId | null> {
    const { names, discover } = parts.servers();
    const likely = names().filter((server) => mayBelongTo(server, name));
    if (likely.length === 0) return null;
    await discover(likely, { waitMs });
    const match = registry.snapshot().index.find(name);
    const ids = match.kind === "none" ? [] : match.kind === "one" ? [match.id] : match.ids;
    return ids.find(({ server, tool }) => server !== null && tool !== name) ?? null;
  }

  const shared = { entries, defaultPrincipal, environment, discovered, maySeeServer: parts.maySeeServer };
  return {
    registry,
    tools,
    verbs: {
      ...tools.verbs,
      ...createChangeVerbs({
        ...shared,
        store,
        settled: history.settled,
        isRegistered: tools.isRegistered,
        overlayOf: (id) => inForce(id, { entries, registry }).overlay,
        warningsOf: (id) => registry.snapshot().byId(id)?.warnings ?? [],
      }),
      ...createOverlayVerbs({ ...shared, registry }),
      ...createBundleVerbs({ ...shared, directory, trustedKeys: () => config().bundles.trustedKeys }),
      ...createWorkDeletion({ ...shared, settled: history.settled }),
    },
    loaded: entries.loaded,
    whenLoaded: (verbs) => whenLoaded(verbs, entries.loaded),
    reload: entries.reload,
    manifests: entries.manifests,
    async known(identities) {
      const known = await memory.knownServers(identities);
      history.recalled(known);
      return known;
    },
    onKnown: (known, name, definition) =>
      history.listed({ name, definition, era: known.era, size: registry.listed(name).tools }, known),
    settled: history.settled,
  };
}

function whenLoaded<T extends object>(verbs: T, loaded: () => Promise<void>): T {
  const waiting = Object.entries(verbs).map(([name, verb]) => [
    name,
    async (...args: unknown[]) => {
      await loaded();
      return (verb as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(waiting) as T;
}
