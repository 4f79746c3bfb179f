import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { readRegularFile, readRegularText } from "./regular-file.ts";

const refuse = (stats: { isFile(): boolean }) => (stats.isFile() ? null : "no file");

test("a pipe, a device, a directory and links to them are looked at and never read", {
  skip: process.platform === "win32",
}, async () => {
  await using directory = await temporaryDirectory();
  const pipe = directory.file("pipe");
  execFileSync("mkfifo", [pipe]);
  symlinkSync(pipe, directory.file("link"));
  symlinkSync("/dev/zero", directory.file("zeros"));
  for (const name of ["pipe", "link", "zeros", "."])
    assert.equal(readRegularFile(directory.file(name), refuse), "no file", name);
  writeFileSync(directory.file("text"), "kept");
  assert.equal(String(readRegularFile(directory.file("text"), refuse)), "kept");
  assert.throws(() => readRegularText(pipe), /is not a regular file/);
  assert.throws(() => readRegularFile(directory.file("absent"), refuse), { code: "ENOENT" });
});
