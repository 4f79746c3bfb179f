import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "./fixtures/documents.ts";

type Entry = { version?: string; integrity?: string; resolved?: string; link?: boolean };

const files = globSync("**/package-lock.json", {
  cwd: projectRoot,
  exclude: (path) => path.includes("node_modules") || path === "dist" || path === "release",
});

/** What npm downloads; workspaces of the project are only linked. */
function downloads(file: string): [path: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, file), "utf8")) as {
    packages: Record<string, Entry>;
  };
  return Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  );
}

test("there is a lock file for the project and for each set of packages beside it", () => {
  assert.ok(files.includes("package-lock.json") && files.length >= 4, files.join(", "));
});

for (const file of files) {
  test(`${file}: every package has its hash, also those of other platforms`, () => {
    const all = downloads(file);
    assert.ok(all.length > 20);
    const bare = all.filter(
      ([, { integrity = "" }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    );
    assert.deepEqual(
      bare.map(([path, { version }]) => `${path} ${version}`),
      [],
    );
  });

  test(`${file}: no package has an address, so it comes from the registry that npm is configured with`, () => {
    const addressed = downloads(file).filter(([, { resolved }]) => resolved !== undefined);
    assert.deepEqual(addressed, []);
  });
}
