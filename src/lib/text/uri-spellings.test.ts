import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { normalUri, uriSpellings } from "./uri-spellings.ts";

const same = [
  "file:///secret",
  "FILE:///secret",
  "file:///./secret",
  "file:///a/../secret",
  "file:///%73ecret",
  "file:///%2573ecret",
  "file:///a/%2e%2e/secret",
  "file:///a%2f..%2fsecret",
  "file://localhost/secret",
  "file:/secret",
  "file:////secret",
  " file:///secret",
  "file:///sec\tret\n",
  "file:///secret?x=1",
  "file:///secret#part",
  "file:///x\\..\\secret",
];

for (const uri of same)
  test(`${JSON.stringify(uri)} is a spelling of file:///secret`, () => {
    assert.equal(normalUri(uri), "file:///secret");
    assert.ok(uriSpellings(uri).includes(uri));
  });

test("addresses of other schemes, templates and plain words stay apart", () => {
  assert.equal(normalUri("Notes://Desk/a/../b"), "notes://Desk/b");
  assert.equal(normalUri("db:table"), "db:table");
  assert.equal(normalUri("file:///{path}"), "file:///{path}");
  assert.notEqual(normalUri("file:///secret"), normalUri("file:///secrets"));
});

test("any text has spellings, few of them", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom("%", "2", "5", "e", "/", ".", ":", "a", "\\", " ", "?", "#"),
      }),
      (text) => {
        const forms = uriSpellings(text);
        assert.ok(forms.includes(text) && forms.length < 20);
      },
    ),
  );
});
