import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { unpackInto } from "./bundle.ts";

test("a bundle that another process unpacks in the meantime is unpacked", async () => {
  await using temporary = await temporaryDirectory();
  mkdirSync(temporary.file("bundles"));
  const directory = temporary.file("bundles/echo-1.0.0-abc");
  const manifest = {
    path: "manifest.json",
    isExecutable: false,
    read: () => Buffer.from("{}"),
  };
  const whileOtherUnpacks = {
    ...manifest,
    read: () => {
      unpackInto(directory, [manifest]);
      return manifest.read();
    },
  };
  unpackInto(directory, [whileOtherUnpacks]);
  assert.equal(readFileSync(join(directory, "manifest.json"), "utf8"), "{}");
  assert.deepEqual(readdirSync(temporary.file("bundles")), ["echo-1.0.0-abc"]);
});
