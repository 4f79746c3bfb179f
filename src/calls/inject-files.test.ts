import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool, validatedCall } from "../../test/samples/calls.ts";
import type { JsonObject } from "../model/json.ts";
import { aboutFile, fileValue } from "./inject.ts";

const files = { "a.pdf": "https://files/a?token=1", "b.pdf": "https://files/b?token=2" };
const call = (args: JsonObject) => ({ ...validatedCall(sampleTool(), args), files });

test("a name that is known becomes its address, others stay as they are", () => {
  assert.equal(fileValue("filename", call({ filename: "a.pdf" })), files["a.pdf"]);
  for (const filename of ["c.pdf", "__proto__", "toString", 7, null, { name: "a.pdf" }]) {
    assert.equal(fileValue("filename", call({ filename })), undefined);
  }
  assert.equal(fileValue("filename", call({})), undefined);
  assert.equal(
    fileValue("filename", validatedCall(sampleTool(), { filename: "a.pdf" })),
    undefined,
  );
});

test("of a list each name is looked up, and the order stays", () => {
  const names = ["b.pdf", "c.pdf", "a.pdf"];
  assert.deepEqual(fileValue("file_names", call({ file_names: names })), [
    files["b.pdf"],
    "c.pdf",
    files["a.pdf"],
  ]);
  assert.equal(fileValue("file_names", call({ file_names: ["c.pdf"] })), undefined);
});

test("a tool that declares a parameter for the address gets it there, too", () => {
  assert.equal(aboutFile("file_url", "filename", call({ filename: "a.pdf" })), files["a.pdf"]);
  assert.deepEqual(aboutFile("file_urls", "file_names", call({ file_names: ["b.pdf"] })), [
    files["b.pdf"],
  ]);
  assert.equal(aboutFile("scan_url", "scan", call({ scan: "a.pdf" })), files["a.pdf"]);
  assert.equal(aboutFile("file_url", "filename", call({ filename: "c.pdf" })), undefined);
});

test("the name before is kept for tools that want to know it", () => {
  assert.equal(aboutFile("original_filename", "filename", call({ filename: "a.pdf" })), "a.pdf");
  assert.equal(aboutFile("original_filename", "filename", call({})), undefined);
  assert.equal(
    aboutFile("original_file_names", "filename", call({ filename: "a.pdf" })),
    undefined,
  );
});
