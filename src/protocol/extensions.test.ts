import assert from "node:assert/strict";
import { test } from "node:test";
import {
  extensionsIn,
  isExtensionMethod,
  isExtensionNotification,
  mayPass,
  metaFor,
  offeredTo,
  relayedTo,
  sharedExtensions,
} from "./extensions.ts";

const ui = "io.modelcontextprotocol/ui";
const tasks = "io.modelcontextprotocol/tasks";

test("both sides hear of what both declare; pages need no declaration of the server", () => {
  const client = { "a.b/one": { c: 1 }, "a.b/two": {}, [ui]: { mimeTypes: [] }, [tasks]: {} };
  const server = { "a.b/one": { s: 1 }, "a.b/three": {}, [tasks]: {} };
  assert.deepEqual(relayedTo(server, client), { "a.b/one": { c: 1 }, [ui]: { mimeTypes: [] } });
  assert.deepEqual(offeredTo(client, [{}, server]), { "a.b/one": { s: 1 }, [ui]: {} });
  assert.deepEqual(sharedExtensions(server, client), ["a.b/one"]);
});

test("a declaration within limits is read once; other names and settings are left out", () => {
  const capabilities = {
    extensions: { "a.b/one": {}, "a.b/two": [], plain: {}, "a.b/c/d": {}, ["x".repeat(300)]: {} },
  };
  assert.deepEqual(Object.keys(extensionsIn(capabilities)), ["a.b/one"]);
  assert.equal(extensionsIn(capabilities), extensionsIn(capabilities));
  for (const extensions of [null, [], "x", undefined])
    assert.deepEqual(extensionsIn({ extensions }), {});
});

test("methods and notifications of the protocol belong to no extension", () => {
  for (const method of [
    "tools/call",
    "Tools/Call",
    "ping",
    "tasks/get",
    "resources/list",
    "resources/templates/list",
  ])
    assert.equal(isExtensionMethod(method), false, method);
  for (const method of ["skills/list", "resources/directory/read", "com.example/x/y"])
    assert.equal(isExtensionMethod(method), true, method);
  for (const method of [
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/Cancelled",
    "x/y",
  ])
    assert.equal(isExtensionNotification(method), false, method);
  assert.equal(isExtensionNotification("notifications/sheets/changed"), true);
});

test("a method that bears an extension's name needs this one, another needs any", () => {
  const both = { "a.b/sheets": {}, "a.b/other": {} };
  assert.equal(mayPass("sheets/list", both, both), true);
  assert.equal(mayPass("sheets/list", both, { "a.b/other": {} }), false);
  assert.equal(mayPass("sheets/list", { "a.b/other": {} }, both), false);
  assert.equal(mayPass("a.b/sheets/list", both, both), true);
  assert.equal(mayPass("unheard/of", both, { "a.b/other": {} }), true);
  assert.equal(mayPass("unheard/of", both, {}), false);
});

test("keys of `_meta` that belong to an extension go to servers that share it", () => {
  const one = "io.modelcontextprotocol/one";
  const params = {
    _meta: { [one]: 1, [`${one}/more`]: 2, "io.modelcontextprotocol/two": 3, own: 4 },
  };
  const client = { [one]: {}, "io.modelcontextprotocol/two": {} };
  assert.deepEqual(metaFor(params, { [one]: {} }, client), {
    _meta: { [one]: 1, [`${one}/more`]: 2, own: 4 },
  });
  const plain = { _meta: { own: 4 } };
  assert.equal(metaFor(plain, {}, {}), plain);
});
