import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readNamespaces } from "../scripts/library-docs.ts";
import { createPlane } from "../src/index.ts";
import { documents, projectRoot } from "./fixtures/documents.ts";

const words = (text: string) => new Set([...text.matchAll(/`([\w.]+)`/g)].map(([, word]) => word));

/** `call`, and `jobs.run` for what stands under a noun. */
const methodsOf = (plane: object) =>
  Object.entries(plane).flatMap(([name, value]) =>
    typeof value === "function" ? [name] : Object.keys(value).map((verb) => `${name}.${verb}`),
  );

test("docs/library.md names every method of a plane, and no other", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const [guide = { text: "" }] = documents(["docs/library.md"]);
  const [, methods = ""] = guide.text.split("| about | methods |");
  const told = words(methods);
  assert.deepEqual([...told].sort(), methodsOf(plane).sort());
});

test("docs/library.md names every option of createPlane", () => {
  const source = readFileSync(join(projectRoot, "src/model/plane-options.ts"), "utf8");
  const [, body = ""] = source.split("export type PlaneOptions");
  const options = [...body.matchAll(/^ {2}(\w+)\??: /gm)].map(([, option = ""]) => option);
  const [guide = { text: "" }] = documents(["docs/library.md"]);
  const told = words(guide.text.split("## Options of")[1] ?? "");
  assert.deepEqual(
    options.filter((option) => !told.has(option)),
    [],
  );
});

test("every function that the library exports is named in a guide", () => {
  const source = readFileSync(join(projectRoot, "src/index.ts"), "utf8");
  const exported = [...source.matchAll(/export (?:function (\w+)|\{([^}]*)\})/g)].flatMap(
    ([, own, names = ""]) => own ?? names.split(",").map((name) => name.trim()),
  );
  assert.ok(exported.includes("createPlane"));
  const values = exported.filter((name) => name !== "" && !name.startsWith("type "));
  const guides = documents(["docs/*.md"])
    .map(({ text }) => text)
    .join("\n");
  assert.deepEqual(
    values.filter((name) => !guides.includes(name)),
    [],
  );
});

test("docs/library has a page with an example for every namespace, and each page every method", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const namespaces = readNamespaces();
  const shown = namespaces.flatMap(({ name, members }) => members.map((member) => `${name}.${member.name}`));
  const there = methodsOf(plane).filter((method) => method.includes("."));
  assert.deepEqual(
    there.filter((method) => !shown.includes(method)),
    [],
  );
  assert.deepEqual(
    namespaces.filter(({ members }) => members.every(({ examples }) => examples.length === 0)).map(({ name }) => name),
    [],
  );
});
