import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/faces/http/app.ts";
import { createPlane } from "../src/index.ts";
import { openLocalSetup } from "../src/local-setup.ts";
import { documents } from "./fixtures/documents.ts";

/**
 * The routes that tables and lists of docs/http.md name. After `POST /a/{id}/x`, a bare `/y` stands for `POST /a/{id}/y`, and a
 * method alone for that method of the same address.
 */
function toldRoutes(text: string): Set<string> {
  const rows = text.split("\n").filter((line) => /^(?:\||-) `/.test(line));
  return new Set(rows.flatMap((row) => routesIn(row.split(/ \| |(?<=`): /)[0] ?? "")));
}

function routesIn(cell: string): string[] {
  let method = "";
  let path = "";
  const found: string[] = [];
  for (const [, span = ""] of cell.matchAll(/`([^`]+)`/g)) {
    const [first = "", second] = span.replace(/\?.*$/, "").split(" ");
    if (second !== undefined) [method, path] = [first, second];
    else if (!first.startsWith("/")) method = first;
    else
      path =
        first.split("/").length > 2 ? first : `${path.slice(0, path.lastIndexOf("/"))}${first}`;
    found.push(`${method} ${path}`);
  }
  return found;
}

test("docs/http.md tells of every route", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  const setup = await openLocalSetup({ files: [], directory: import.meta.dirname });
  const app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal, setup });
  const routes = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  const [guide = { text: "" }] = documents(["docs/http.md"]);
  const told = toldRoutes(guide.text);
  const missing = routes.filter(
    (route) => !told.has(route) && !guide.text.includes(`\`${route.split(" ")[1]}\``),
  );
  assert.deepEqual(missing, []);
  const inTable = [...told].filter((route) => /^(GET|PUT|POST|DELETE|PATCH) \//.test(route));
  assert.deepEqual(
    inTable.filter((route) => !routes.includes(route)),
    [],
    "told and not there",
  );
});
