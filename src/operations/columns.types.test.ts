import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { defineExtension } from "../model/extensions/extension.ts";
import { operation } from "./operation.ts";

const notes = {
  name: "notes.list",
  args: [],
  summary: "Notes",
  scope: "read",
  input: z.object({ tag: z.string().optional() }),
  output: z.object({ notes: z.array(z.object({ id: z.string(), words: z.number() })) }),
  http: { missing: "an example" },
} as const;
const form = { command: "notes list", about: "notes", examples: [] };
const table = { rows: "notes", none: "No notes." } as const;

/** Never run: the compiler is the judge. An unused `@ts-expect-error` is an error itself. */
export function columnsAreChecked() {
  const words = { title: "WORDS", text: (count: number) => `${count} words` };
  operation({ ...notes, cli: { ...form, table: { ...table, columns: { id: "ID", words } } } });
  // @ts-expect-error an entry has no such field
  operation({ ...notes, cli: { ...form, table: { ...table, columns: { title: "TITLE" } } } });
  // @ts-expect-error the answer has no such list
  operation({ ...notes, cli: { ...form, table: { rows: "all", none: "None.", columns: {} } } });
  // @ts-expect-error there is no such input
  operation({ ...notes, cli: { ...form, options: { "--by <tag>": { about: "", input: "by" } } } });
}

/** Never run. */
export function columnsOfExtensionsAreChecked() {
  const list = { name: "notes.list", summary: "Notes", scope: "read" } as const;
  const run = async () => ({ total: 1, notes: [{ id: "a", words: 2 }] });
  return defineExtension({
    name: "notes",
    setup({ addOperation }) {
      addOperation({ ...list, columns: { id: "ID" }, run });
      addOperation({ ...list, columns: { id: "ID" }, run: () => [{ id: "a" }] });
      // @ts-expect-error an entry has no such field
      addOperation({ ...list, columns: { title: "TITLE" }, run });
      // @ts-expect-error nor has one of a list
      addOperation({ ...list, columns: { title: "TITLE" }, run: () => [{ id: "a" }] });
    },
  });
}

test("columns are fields of the answer", () => {
  assert.equal(typeof columnsAreChecked, "function");
});
