import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  type TemporaryDirectory,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { findFiles } from "./find-files.ts";

const there = [
  "a.json",
  "deep/b.yaml",
  "deep/deeper/c.jsonc",
  "deep/deeper/notes.md",
  "node_modules/d.json",
  ".hidden/e.json",
  "deep/.f.json",
];

const cases: [title: string, glob: string, found: string[]][] = [
  ["a name means itself", "a.json", ["a.json"]],
  ["a star stays in its directory", "*.json", ["a.json"]],
  [
    "two stars are any number of directories, none too",
    "**/*.json*",
    ["a.json", "deep/deeper/c.jsonc"],
  ],
  ["two stars at the end are every file below", "deep/**", ["deep/b.yaml", "deep/deeper/c.jsonc"]],
  ["a directory may have a star", "d*/?.yaml", ["deep/b.yaml"]],
  ["other kinds of files are left out", "deep/deeper/*", ["deep/deeper/c.jsonc"]],
  ["a path may lead up and down again", "deep/../*.json", ["a.json"]],
  ["a hidden directory has to be named", ".hidden/*.json", [".hidden/e.json"]],
  ["what is not there is no error", "gone/**/*.json", []],
];

describe("globs of files", () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
    for (const name of there) {
      await mkdir(dirname(directory.file(name)), { recursive: true });
      await writeFile(directory.file(name), "{}");
    }
    await symlink(directory.path, directory.file("deep/circle"));
  });
  after(() => directory[Symbol.asyncDispose]());

  for (const [title, glob, found] of cases) {
    test(title, () => {
      const { files, isCut } = findFiles(glob, directory.path);
      assert.deepEqual([files, isCut], [found.map(directory.file), false]);
    });
  }
});
