import assert from "node:assert/strict";
import { test } from "node:test";
import { parseToolQuery } from "../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../model/errors.ts";
import { ToolFiltersSchema } from "../declared/tools.ts";

test("the document names the filters of tools that there are, and no others", () => {
  const wording = { spell: (name: string) => name, nearest: () => [] };
  let message = "";
  try {
    parseToolQuery([["none of them", ""]], wording);
  } catch (thrown) {
    if (thrown instanceof PlaneError) message = thrown.message;
  }
  const known = /Known are (.*)\.$/.exec(message)?.[1]?.split(", ") ?? [];
  assert.deepEqual(Object.keys(ToolFiltersSchema.shape).sort(), known.sort());
});
