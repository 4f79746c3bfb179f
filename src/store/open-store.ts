import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Loss } from "../model/calls/call-history.ts";
import { decisionOn } from "../model/config/changed-defaults.ts";
import type {
  Durability,
  StoreAddress,
  StoreParts,
  StoreSettings,
} from "../model/config/settings.ts";
import type { PostgresAddress, StorePackages } from "../model/packages.ts";
import type { ChainHeads, Store } from "../model/store.ts";
import type { ChainHeadsFile } from "./chain-heads-file.ts";

export type OpenedStore = {
  store: Store;
  durability: Durability;
  /** Path prefix of the files beside the store, such as the write-ahead spool; undefined without a data directory. */
  spool: string | undefined;
};

type OpenOptions = {
  address: StoreAddress;
  /** The data directory of this machine. */
  directory: string | undefined;
  packages?: StorePackages | undefined;
  settings?: StoreSettings;
  /** The files of the configuration that decides on changed defaults. */
  files?: readonly string[];
};

const defaultSettings: StoreSettings = { durability: null, vaultKey: async () => undefined };

export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const { address, directory, settings = defaultSettings } = options;
  const { createRecordSealer } = await import("./vault-key.ts");
  const sealer = createRecordSealer(address, directory, await settings.vaultKey());
  const opened = await openDurable(options, settings.durability, sealer);
  if (opened.spool === undefined) return opened;
  const { createChainHeadsFile } = await import("./chain-heads-file.ts");
  const heads = createChainHeadsFile(`${opened.spool}-head`);
  const store = withHeads(opened.store, heads, opened.durability);
  await recover(store, opened.spool, heads);
  return { ...opened, store };
}

/** Where the configuration says nothing, the store itself holds what was decided. */
async function openDurable(
  options: OpenOptions,
  durability: Durability | null,
  sealer: StoreParts["sealer"],
): Promise<OpenedStore> {
  const opened = await openKind(options, { durability: durability ?? "power", sealer });
  if (durability !== null || !(await keepsOldDurability(opened.store, options.files)))
    return opened;
  await opened.store.close();
  return openKind(options, { durability: "process", sealer });
}

async function keepsOldDurability(store: Store, files: readonly string[] = []): Promise<boolean> {
  // A store that cannot be read is synced.
  const decisions = await store.defaultDecisions().catch(() => []);
  return decisionOn("durability", decisions, files)?.decision === "keep";
}

async function openKind(options: OpenOptions, parts: StoreParts): Promise<OpenedStore> {
  const { address, directory, packages } = options;
  const opened =
    address.kind === "sqlite"
      ? await openFile(directory, parts)
      : await openServer(address, directory, packages, parts);
  return { ...opened, durability: parts.durability };
}

/** Each commit is noted beside the store, and a check compares what was noted with what is there. */
function withHeads(store: Store, heads: ChainHeadsFile, durability: Durability): Store {
  /** In the store, and perhaps not on the disk: a head that a power cut may take must not be noted. */
  let unsynced: ChainHeads = {};
  const withLosses = async <T extends { ok: boolean; lost: Loss[] }>(
    chain: keyof ChainHeads,
    verification: T,
  ): Promise<T> => {
    const lost = await heads.losses(chain, store);
    return { ...verification, lost, ok: verification.ok && lost.length === 0 };
  };
  async function sync(): Promise<void> {
    const syncedHeads = unsynced;
    unsynced = {};
    try {
      await store.sync();
    } catch (thrown) {
      unsynced = { ...syncedHeads, ...unsynced };
      throw thrown;
    }
    heads.note(syncedHeads);
  }
  return {
    ...store,
    async append(entries) {
      const added = await store.append(entries);
      if (durability === "process") heads.note(added);
      else unsynced = { ...unsynced, ...added };
      return added;
    },
    sync,
    async close() {
      // A store that cannot be synced any more is closed all the same.
      await sync().catch(() => undefined);
      await store.close();
      await heads.flush();
    },
    verifyCalls: async (options) => withLosses("calls", await store.verifyCalls(options)),
    verifyAudit: async (options) => withLosses("changes", await store.verifyAudit(options)),
  };
}

async function openFile(
  directory: string | undefined,
  settings: StoreParts,
): Promise<Omit<OpenedStore, "durability">> {
  const { openSqliteStore } = await import("./sqlite.ts");
  const spool = directory === undefined ? undefined : join(directory, "toolplane.db");
  return { store: await openSqliteStore(spool ?? ":memory:", settings), spool };
}

async function openServer(
  address: PostgresAddress,
  directory: string | undefined,
  packages: StorePackages | undefined,
  settings: StoreParts,
): Promise<Omit<OpenedStore, "durability">> {
  if (packages === undefined) throw new Error("A store in Postgres needs the package 'postgres'.");
  const { openPostgresStore } = await packages.postgres();
  const store = await openPostgresStore(address, settings);
  if (directory === undefined) return { store, spool: undefined };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // One spool per database: entries must not get into another one.
  const { hash } = process.getBuiltinModule("node:crypto");
  return {
    store,
    spool: join(directory, `postgres-${hash("sha256", address.shown).slice(0, 12)}`),
  };
}

/** Stores the spools of killed planes now, or as soon as the store is reachable. */
async function recover(store: Store, spool: string, heads: ChainHeadsFile): Promise<void> {
  const { recoverSpools } = await import("./recover-spools.ts");
  const recoverNow = async () => {
    await recoverSpools(spool, store);
    // A store that cannot be read is reported to those who need it.
    await heads.check(store).catch(() => undefined);
  };
  if (store.trouble() === null) return recoverNow();
  const leave = store.onTrouble((trouble) => {
    if (trouble !== null) return;
    leave();
    void recoverNow();
  });
}
