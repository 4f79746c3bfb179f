import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { directoryInRoots } from "./client-place.ts";

test("the first root that is a directory here counts, without links", async () => {
  await using root = await temporaryDirectory();
  const here = realpathSync(root.path);
  await Promise.all([mkdir(`${here}/a b`), mkdir(`${here}/c`), writeFile(`${here}/file`, "")]);
  await symlink(`${here}/a b`, `${here}/link`);
  const find = (...uris: unknown[]) => directoryInRoots({ roots: uris.map((uri) => ({ uri })) });
  const address = (name: string) => pathToFileURL(`${here}/${name}`).href;
  assert.equal(find(address("a b"), address("c")), `${here}/a b`);
  assert.equal(find(address("link")), `${here}/a b`);
  assert.equal(find(address("file"), address("gone"), address("c")), `${here}/c`);
  assert.equal(find(`${address("c")}/../a%20b`), `${here}/a b`);
});

test("a client whose process was started within one of its roots works where it was started, else in the first", async () => {
  await using root = await temporaryDirectory();
  const here = realpathSync(root.path);
  await Promise.all([mkdir(`${here}/a/inner`, { recursive: true }), mkdir(`${here}/..b`)]);
  const find = (started: string, ...names: string[]) =>
    directoryInRoots(
      { roots: names.map((name) => ({ uri: pathToFileURL(`${here}/${name}`).href })) },
      started,
    );
  assert.equal(find(`${here}/a`, "..b", "a"), `${here}/a`);
  assert.equal(find(`${here}/a/inner`, "a"), `${here}/a/inner`);
  assert.equal(find(here, "a", "..b"), `${here}/a`);
  assert.equal(find("/", "..b"), `${here}/..b`);
  assert.equal(find(`${here}/ab`, "a"), `${here}/a`);
  assert.equal(find(`${here}/a`, "gone"), null);
  assert.equal(find(`${here}/a`), null);
});

const strange: [what: string, answer: Record<string, unknown>][] = [
  ["no list", {}],
  ["a list that is none", { roots: "file:///" }],
  ["no objects", { roots: [null, 7, "file:///tmp", ["file:///tmp"]] }],
  ["no texts", { roots: [{ uri: null }, { uri: {} }, { uri: 1 }] }],
  ["another machine", { roots: [{ uri: "file://host/share" }, { uri: "https://example.com/" }] }],
  [
    "no address",
    {
      roots: [
        { uri: `file:${"a".repeat(10_000)}` },
        { uri: "file:///%00" },
        { uri: "file:///tmp%2Fx" },
      ],
    },
  ],
  ["a plain path", { roots: [{ uri: "/tmp" }, { uri: "../.." }] }],
];
for (const [what, answer] of strange)
  test(`roots that are ${what} name no directory`, () =>
    assert.equal(directoryInRoots(answer), null));
