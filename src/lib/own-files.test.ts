import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { findOwnFile, ownFile, ownFiles } from "./own-files.ts";

const source = join(import.meta.dirname, "own-files.ts");
const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), "toolplane-own-files-")));

/** The module as a bundle has it, at this place. */
async function bundledAt(place: string): Promise<typeof import("./own-files.ts")> {
  const file = join(elsewhere, place);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stripTypeScriptTypes(readFileSync(source, "utf8")));
  return import(pathToFileURL(file).href);
}

suite("the package's own files", () => {
  after(() => rmSync(elsewhere, { recursive: true }));

  test("are found in a checkout", () => {
    const names = Object.keys(ownFiles) as (keyof typeof ownFiles)[];
    const sources = names.filter((name) => name !== "workbench");
    assert.deepEqual(
      sources.filter((name) => !existsSync(ownFile(name))),
      [],
    );
  });

  test("are found from every folder of a published package", async () => {
    mkdirSync(join(elsewhere, "published"));
    writeFileSync(join(elsewhere, "published/package.json"), '{ "name": "toolplane" }');
    for (const place of ["dist/index.mjs", "dist/chunks/piece.mjs"]) {
      const bundled = await bundledAt(`published/${place}`);
      assert.equal(bundled.findOwnFile("workbench"), join(elsewhere, "published/dist/workbench"));
      assert.equal(bundled.findOwnFile("program"), join(elsewhere, "published/dist/bin.js"));
    }
  });

  test("are missed, not guessed, inside of another program's bundle", async () => {
    mkdirSync(join(elsewhere, "another"));
    writeFileSync(join(elsewhere, "another/package.json"), "{ no JSON");
    const bundled = await bundledAt("another/dist/program.mjs");
    assert.equal(bundled.findOwnFile("program"), null);
    assert.throws(
      () => bundled.ownFile("toolVectors"),
      /dist\/tool-vectors\.bin.*install the package/,
    );
  });

  test("belong to the package of this name", () => {
    const { name } = JSON.parse(
      readFileSync(join(findOwnFile("program") ?? "", "../../package.json"), "utf8"),
    );
    assert.equal(name, "toolplane");
  });
});
