import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { modes } from "./fixtures/matrix/cell.ts";
import { features } from "./fixtures/matrix/features.ts";

test("the table in the documentation is that of the tests", () => {
  const page = readFileSync(new URL("../docs/gateway.md", import.meta.url), "utf8");
  const rows = features.map(({ name, direction, otherwise = {} }) => {
    const cells = modes.map((mode) => otherwise[mode] ?? "yes");
    return `| ${[name, direction, ...cells].join(" | ")} |`;
  });
  const table = [
    "| what | direction | full | lazy | code |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
  assert.ok(page.includes(table), `docs/gateway.md needs this table:\n${table}`);
});
