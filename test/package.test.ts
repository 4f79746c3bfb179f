import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { bundle } from "../scripts/bundle.ts";
import { projectRoot } from "./fixtures/documents.ts";
import { temporaryDirectory } from "./fixtures/start-server.ts";

const read = (path: string) => readFileSync(join(projectRoot, path), "utf8");

test("what is published is written for the oldest Node that package.json promises", async () => {
  const { engines } = JSON.parse(read("package.json")) as { engines: { node: string } };
  const oldest = engines.node.replace(">=", "");
  assert.ok(read("scripts/bundle.ts").includes(`target: "node${oldest}"`));
  assert.ok(read("src/bin.ts").includes(`needs Node ${oldest} or newer`));
});

test("a bundle holds no syntax that only newer ones know", async () => {
  await using directory = await temporaryDirectory();
  const source = directory.file("probe.ts");
  await writeFile(
    source,
    "export async function probe(open: () => AsyncDisposable) { await using it = open(); return it; }",
  );
  await bundle({ probe: source }, directory.file("out"));
  const written = await readFile(join(directory.file("out"), "probe.js"), "utf8");
  assert.doesNotMatch(written, /\busing \w+\s*=/);
});

test("every page that the README links to is in the package", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  const links = [...read("README.md").matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
    ([, target = ""]) => target,
  );
  assert.ok(links.length > 20);
  const isPacked = (target: string) =>
    files.some((file) => target === file || target.startsWith(`${file}/`));
  assert.deepEqual(
    links.filter((target) => !isPacked(target)),
    [],
  );
});

test("the workflow of a release takes no action of others, and publishes what 'npm run release' packed, with provenance", () => {
  const workflow = read(".github/workflows/release.yml");
  assert.doesNotMatch(workflow, /^\s*-?\s*uses:/m, "an action has to be pinned by its commit");
  assert.match(workflow, /id-token: write/);
  assert.match(workflow, /npm run -s test:all/);
  assert.match(workflow, /npm publish --provenance .*release\/\*\.tgz/);
  assert.match(workflow, /--build-arg RELEASE=true/);
});
