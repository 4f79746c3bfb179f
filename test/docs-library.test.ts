import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createPlane } from "../src/plane.ts";
import { documents, projectRoot } from "./fixtures/documents.ts";

const words = (text: string) => new Set([...text.matchAll(/`(\w+)`/g)].map(([, word]) => word));

test("docs/library.md names every method of a plane, and no other", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const [guide = { text: "" }] = documents(["docs/library.md"]);
  const told = words(guide.text.split("## Operations")[1] ?? "");
  assert.deepEqual([...told].sort(), Object.keys(plane).sort());
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
  const exported = [...source.matchAll(/export \{([^}]*)\}/g)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim()),
  );
  const values = exported.filter((name) => name !== "" && !name.startsWith("type "));
  const guides = documents(["docs/*.md"])
    .map(({ text }) => text)
    .join("\n");
  assert.deepEqual(
    values.filter((name) => !guides.includes(name)),
    [],
  );
});
