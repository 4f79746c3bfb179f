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

test("docs/library-reference.md has every method, and an example for every namespace", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const [reference = { text: "" }] = documents(["docs/library-reference.md"]);
  assert.deepEqual(
    methodsOf(plane).filter(
      (method) => !new RegExp(`^\\*\\*\`plane\\.${method}[(<:]`, "m").test(reference.text),
    ),
    [],
  );
  assert.deepEqual(
    readNamespaces()
      .filter(({ members }) => members.every(({ examples }) => examples.length === 0))
      .map(({ name }) => name),
    [],
  );
});
