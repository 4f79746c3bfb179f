import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Loss } from "../model/calls/call-history.ts";
import type { StoreAddress, StoreParts, StoreSettings } from "../model/config/settings.ts";
import type { PostgresAddress, StorePackages } from "../model/packages.ts";
import type { ChainHeads, Store } from "../model/store.ts";
import type { ChainHeadsFile } from "./chain-heads-file.ts";

export type OpenedStore = {
  store: Store;
  /** Path prefix of the files beside the store, such as the write-ahead spool; undefined without a data directory. */
  spool: string | undefined;
};

const defaultSettings: StoreSettings = { durability: "power", vaultKey: async () => undefined };

/** `directory` is the data directory of this machine. */
export async function openStore(
  address: StoreAddress,
  directory: string | undefined,
  packages?: StorePackages,
  { durability, vaultKey }: StoreSettings = defaultSettings,
): Promise<OpenedStore> {
  const { createRecordSealer } = await import("./vault-key.ts");
  const sealer = createRecordSealer(address, directory, await vaultKey());
  const settings = { durability, sealer };
  const opened = await (address.kind === "sqlite"
    ? openFile(directory, settings)
    : openServer(address, directory, packages, settings));
  if (opened.spool === undefined) return opened;
  const { createChainHeadsFile } = await import("./chain-heads-file.ts");
  const heads = createChainHeadsFile(`${opened.spool}-head`);
  const store = withHeads(opened.store, heads, settings);
  await recover(store, opened.spool, heads);
  return { ...opened, store };
}

/** Each commit is noted beside the store, and a check compares what was noted with what is there. */
function withHeads(store: Store, heads: ChainHeadsFile, { durability }: StoreParts): Store {
  /** In the store, and perhaps not on the disk: a head that a power cut may take must not be noted. */
  let unsynced: ChainHeads = {};
  const checked = async <T extends { ok: boolean; lost: Loss[] }>(
    chain: keyof ChainHeads,
    result: T,
  ): Promise<T> => {
    const lost = await heads.losses(chain, store);
    return { ...result, lost, ok: result.ok && lost.length === 0 };
  };
  async function sync(): Promise<void> {
    const synced = unsynced;
    unsynced = {};
    try {
      await store.sync();
    } catch (thrown) {
      unsynced = { ...synced, ...unsynced };
      throw thrown;
    }
    heads.note(synced);
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
    verifyCalls: async (options) => checked("calls", await store.verifyCalls(options)),
    verifyAudit: async (options) => checked("changes", await store.verifyAudit(options)),
  };
}

async function openFile(directory: string | undefined, settings: StoreParts): Promise<OpenedStore> {
  const { openSqliteStore } = await import("./sqlite.ts");
  const spool = directory === undefined ? undefined : join(directory, "toolplane.db");
  return { store: await openSqliteStore(spool ?? ":memory:", settings), spool };
}

async function openServer(
  address: PostgresAddress,
  directory: string | undefined,
  packages: StorePackages | undefined,
  settings: StoreParts,
): Promise<OpenedStore> {
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
