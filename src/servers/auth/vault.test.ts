import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import type { Store, StoreNews } from "../../model/store.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createVault } from "./vault.ts";

async function openVault(directory: string | undefined, file = ":memory:") {
  const store = await openSqliteStore(file);
  return {
    store,
    vault: createVault({ store: async () => store, directory, vaultKey: async () => undefined }),
  };
}

test("what is written can be read, listed and removed, and the store sees none of it", async () => {
  await using directory = await temporaryDirectory();
  const { store, vault } = await openVault(directory.path);
  await vault.write("a/1", { token: "very-secret", list: [1, null] });
  await vault.write("a/2", "two");
  assert.deepEqual(await vault.read("a/1"), { token: "very-secret", list: [1, null] });
  assert.equal(await vault.read("a/3"), null);
  assert.deepEqual(await vault.names("a/"), ["a/1", "a/2"]);
  assert.doesNotMatch(
    Buffer.from((await store.secret("a/1")) ?? []).toString("latin1"),
    /secret|token/,
  );
  assert.equal(await vault.remove("a/1"), true);
  assert.equal(await vault.remove("a/1"), false);
  await store.close();
});

test("the same value is never sealed to the same bytes", async () => {
  const { store, vault } = await openVault(undefined);
  await vault.write("a", "same");
  const first = await store.secret("a");
  await vault.write("a", "same");
  assert.notDeepEqual(await store.secret("a"), first);
  await store.close();
});

test("the key belongs to its owner alone and stays the same", {
  skip: process.platform === "win32",
}, async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("store.sqlite");
  const first = await openVault(directory.path, file);
  await first.vault.write("a", 1);
  await first.store.close();
  assert.equal((statSync(directory.file("vault.key")).mode & 0o777).toString(8), "600");
  assert.deepEqual(
    readdirSync(directory.path).filter((name) => name.endsWith(".tmp")),
    [],
  );
  const second = await openVault(directory.path, file);
  assert.equal(await second.vault.read("a"), 1);
  await second.store.close();
});

test("a value moved under another name, changed, or cut off cannot be opened", async () => {
  const { store, vault } = await openVault(undefined);
  await vault.write("ada", "token-of-ada");
  const sealed = (await store.secret("ada")) ?? assert.fail("nothing stored");
  const changed = Uint8Array.from(sealed);
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1;
  for (const bytes of [sealed, changed, sealed.slice(0, 10), new Uint8Array()]) {
    await store.putSecret("bob", bytes);
    await assert.rejects(vault.read("bob"), { code: "STORE_FAILED" });
  }
  await store.close();
});

test("another key is reported with the file and the remedy, and nothing of the value", async () => {
  await using directory = await temporaryDirectory();
  const { store, vault } = await openVault(directory.path);
  await vault.write("a", { token: "very-secret" });
  writeFileSync(directory.file("vault.key"), Buffer.alloc(32, 7));
  const noKey = async () => undefined;
  const other = createVault({
    store: async () => store,
    directory: directory.path,
    vaultKey: noKey,
  });
  await assert.rejects(other.read("a"), (error: Error) => {
    assert.match(error.message, /vault\.key.*another key\. Put the key back.*sign in again/);
    assert.doesNotMatch(error.message, /very-secret/);
    return true;
  });
  assert.equal(await other.readIfPossible("a"), null);
  await other.write("a", "new");
  assert.equal(await other.read("a"), "new");
  await store.close();
});

test("planes with one key open each other's, and none makes a key of its own", async () => {
  await using directory = await temporaryDirectory();
  const store = await openSqliteStore(":memory:");
  const open = (key: string) =>
    createVault({ store: async () => store, directory: directory.path, vaultKey: async () => key });
  await open(Buffer.alloc(32, 1).toString("hex")).write("a", "sealed");
  assert.equal(await open(Buffer.alloc(32, 1).toString("base64")).read("a"), "sealed");
  await assert.rejects(
    open(Buffer.alloc(32, 2).toString("hex")).read("a"),
    /'vaultKey'.*another key/,
  );
  await assert.rejects(open("s3cret").read("a"), ({ message }: Error) => {
    assert.match(message, /'vaultKey' in the configuration.*32 bytes.*openssl/);
    assert.doesNotMatch(message, /s3cret/);
    return true;
  });
  assert.deepEqual(readdirSync(directory.path), []);
  await store.close();
});

test("a damaged key is reported with its remedy", async () => {
  await using directory = await temporaryDirectory();
  writeFileSync(directory.file("vault.key"), "short");
  const { store, vault } = await openVault(directory.path);
  await assert.rejects(vault.write("a", 1), {
    code: "STORE_FAILED",
    message: /damaged.*Restore a copy/,
  });
  await store.close();
});

test("processes that make the key at once end with the same", async () => {
  await using directory = await temporaryDirectory();
  const module = new URL("../../store/vault-key.ts", import.meta.url).href;
  const code = `import { loadVaultKey } from ${JSON.stringify(module)};
    process.stdout.write(loadVaultKey(process.argv[1]).toString("hex"));`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", code, directory.file("new")], {
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
  const keys = await Promise.all(
    children.map(async (child) => {
      const chunks: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
      await once(child, "close");
      return Buffer.concat(chunks).toString();
    }),
  );
  assert.equal(new Set(keys).size, 1);
  assert.equal(keys[0], readFileSync(directory.file("new/vault.key")).toString("hex"));
});

test("what is kept is read once while other planes tell of changes, and again after news, a write and a removal", async (context) => {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  let reads = 0;
  let isInformed = true;
  const listeners: ((news: StoreNews) => void)[] = [];
  const counted = {
    ...store,
    secret: (key: string) => {
      reads += 1;
      return store.secret(key);
    },
  };
  const onNews = (listener: (news: StoreNews) => void) => {
    listeners.push(listener);
    return () => undefined;
  };
  const open = (opened: Store) =>
    createVault({
      store: async () => opened,
      directory: undefined,
      vaultKey: async () => "ab".repeat(32),
      news: { isInformed: () => isInformed, onNews },
    });
  const [vault, elsewhere] = [open(counted), open(store)];
  assert.equal(await vault.readCached("token"), null);
  assert.equal(await vault.readCached("token"), null);
  assert.equal(reads, 1);
  await vault.write("token", "one");
  assert.deepEqual(
    [await vault.readCached("token"), await vault.readCached("token"), reads],
    ["one", "one", 2],
  );
  // Another plane renews it.
  await elsewhere.write("token", "two");
  assert.equal(await vault.readCached("token"), "one");
  listeners[0]?.({ what: "secrets" });
  assert.equal(await vault.readCached("token"), "two");
  await elsewhere.write("token", "three");
  assert.equal(await vault.read("token"), "three", "who must know reads it");
  assert.equal(await vault.readCached("token"), "three");
  await elsewhere.remove("token");
  isInformed = false;
  assert.equal(await vault.readCached("token"), null);
  await elsewhere.write("token", "four");
  isInformed = true;
  await vault.remove("token");
  assert.equal(await vault.readCached("token"), null);
});
