import assert from "node:assert/strict";
import { test } from "node:test";
import { readScoped, showScoped } from "./addresses.ts";
import { createGivenPages } from "./given-pages.ts";

test("an address is shown under its server's name and read back, whatever a server writes into it", () => {
  const servers = ["one", "two words", "one.toolplane", "ü/ß"];
  const addresses = [
    "ui://a/b.html",
    "ui://",
    "ui://two.toolplane/a",
    "ui://a/../../b?x=1#y",
    "ui://one.toolplane/ui://x",
  ];
  for (const server of servers)
    for (const uri of addresses)
      assert.deepEqual(
        readScoped(showScoped(server, uri), servers.toReversed()),
        { server, uri },
        showScoped(server, uri),
      );
});

test("an address that names no server of ours is none of ours", () => {
  for (const shown of [
    "ui://a/b",
    "ui://other.toolplane/a",
    "UI://one.toolplane/a",
    "http://one.toolplane/a",
    "ui://",
  ])
    assert.equal(readScoped(shown, ["one"]), undefined, shown);
});

test("pages that a client was given are known in the order of their last use, up to a limit", () => {
  const pages = createGivenPages();
  for (let at = 0; at < 300; at++) pages.note("one", `ui://a/${at}`);
  pages.note("one", "ui://a/150");
  assert.equal(pages.recent().length, 200);
  assert.deepEqual(pages.recent()[0], { server: "one", uri: "ui://a/150" });
  assert.equal(pages.find("ui://one.toolplane/a/0"), undefined);
  assert.deepEqual(pages.find("ui://one.toolplane/a/299"), { server: "one", uri: "ui://a/299" });
});
