import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { PlaneError } from "../model/errors.ts";
import type { Store } from "../model/store.ts";
import { parseStoreAddress, type StoreAddress } from "../model/store-address.ts";

export type OpenedStore = {
  store: Store;
  /** Beside which records wait on their way into it; undefined where there is no place for them. */
  spool: string | undefined;
};

/** Throws what is wrong with it, without saying what it is. */
export function requireStoreAddress(text: string): StoreAddress {
  const address = parseStoreAddress(text);
  if ("problem" in address)
    throw new PlaneError("CONFIG_INVALID", `The store: ${address.problem}. ${address.hint}`);
  return address;
}

/** `directory` is where this machine keeps what is its own. */
export async function openStore(address: StoreAddress, directory: string | undefined): Promise<OpenedStore> {
  const { store, spool } = await (address.kind === "sqlite"
    ? openFile(directory)
    : openServer(address, directory));
  if (spool !== undefined) await recover(store, spool);
  return { store, spool };
}

async function openFile(directory: string | undefined): Promise<OpenedStore> {
  const { openSqliteStore } = await import("./sqlite.ts");
  const spool = directory === undefined ? undefined : join(directory, "toolplane.db");
  return { store: await openSqliteStore(spool ?? ":memory:"), spool };
}

async function openServer(
  address: Extract<StoreAddress, { kind: "postgres" }>,
  directory: string | undefined,
): Promise<OpenedStore> {
  const { openPostgresStore } = await import("./postgres.ts");
  const store = await openPostgresStore(address);
  if (directory === undefined) return { store, spool: undefined };
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // What waits for one database must not get into another.
  const { hash } = process.getBuiltinModule("node:crypto");
  return { store, spool: join(directory, `postgres-${hash("sha256", address.shown).slice(0, 12)}`) };
}

/** What planes that were killed have left behind is stored now, or as soon as the store is there. */
async function recover(store: Store, spool: string): Promise<void> {
  const { recoverSpools } = await import("./recover-spools.ts");
  if (store.trouble() === null) return recoverSpools(spool, store);
  const leave = store.onTrouble((trouble) => {
    if (trouble !== null) return;
    leave();
    void recoverSpools(spool, store);
  });
}
