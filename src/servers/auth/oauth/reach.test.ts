import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "./ask.ts";
import { allowedUrl, isPrivateAddress, reachOf } from "./reach.ts";

const outside = { privateToo: false };

test("private, local and reserved addresses are told from public ones, in every clothing", () => {
  const inside = [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
  ];
  const insideSix = [
    "::1",
    "::",
    "fe80::1",
    "fd00::1",
    "::ffff:127.0.0.1",
    "::ffff:a01:203",
    "2002:7f00:1::",
  ];
  for (const address of [...inside, ...insideSix, "255.255.255.255"])
    assert.equal(isPrivateAddress(address), true, address);
  for (const address of ["1.1.1.1", "172.32.0.1", "2606:4700::1111", "::ffff:1.1.1.1"])
    assert.equal(isPrivateAddress(address), false, address);
});

test("a server outside cannot send us inside, whichever way the address is written", async () => {
  const addresses = [
    "http://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://10.0.0.1/",
  ];
  for (const address of addresses)
    assert.throws(() => allowedUrl(address, "it", outside), /private network/, address);
  const named = allowedUrl("http://localhost:9/", "it", outside);
  await assert.rejects(ask({ url: named, reach: outside }), /'localhost' is on a private network/);
});

test("a server inside may send us to its neighbours", async () => {
  assert.deepEqual(await reachOf("http://127.0.0.1:1/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("http://[::1]:1/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("http://localhost/mcp"), { privateToo: true });
  assert.deepEqual(await reachOf("https://8.8.8.8/mcp"), { privateToo: false });
  assert.equal(allowedUrl("http://127.0.0.1/x", "it", { privateToo: true }).pathname, "/x");
});

test("only safe addresses are taken, and what is refused is shown without its path", () => {
  for (const address of [
    "http://example.com/secret",
    "ftp://example.com/secret",
    "javascript:secret()",
    "file:///secret",
  ])
    assert.throws(
      () => allowedUrl(address, "it", outside),
      (error: Error) => /must be https/.test(error.message) && !/secret/.test(error.message),
    );
  assert.throws(
    () => allowedUrl("https://u:secret@example.com/", "it", outside),
    /must not hold a user name/,
  );
  for (const address of [7, null, "", "nonsense"])
    assert.throws(() => allowedUrl(address, "it", outside), /is not an address/);
});
