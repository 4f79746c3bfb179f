import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import { withPlaces } from "./start-place.ts";

test("roots may be paths, from where their file stands, or addresses as they are", () => {
  const roots = ["docs", "/srv/a b", "../x", "file:///etc", "https://example.com/r"];
  assert.deepEqual(withPlaces(sampleServer({ roots }), "/home/ada").roots, [
    "file:///home/ada/docs",
    "file:///srv/a%20b",
    "file:///home/x",
    "file:///etc",
    "https://example.com/r",
  ]);
  const none = sampleServer();
  assert.deepEqual(withPlaces(none, "/home/ada"), { ...none, cwd: "/home/ada" });
});
