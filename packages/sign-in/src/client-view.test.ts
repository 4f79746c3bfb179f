import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthorizationServer } from "@toolplane/core/model/access/auth-settings";
import { foreign } from "@toolplane/core/model/foreign";
import { describeClient, pagesClient, shownAddress } from "./client-view.ts";

const { clients } = AuthorizationServer.parse({
  clients: { ci: { secret: "0123456789abcdef", scopes: ["call"] } },
});
const described = (id: string, claims: object = {}) =>
  describeClient({ id, self: foreign(claims) }, clients);

test("an address is shown as a browser writes it, whatever letters it was given in", () => {
  assert.equal(shownAddress("https://cl\u0430ude.ai/cb"), "https://xn--clude-5ve.ai/cb");
  assert.equal(shownAddress("https://evil.example/\u202ecb"), "https://evil.example/%E2%80%AEcb");
  assert.equal(shownAddress("cursor://cl\u0430ude/cb"), "cursor://cl%D0%B0ude/cb");
});

test("a name is verified where an administrator lists it, and it is the listed one", () => {
  const ours = { name: "ci", address: null, verified: true };
  assert.deepEqual(described("ci", { client_name: "Claude" }), { id: "ci", ...ours });
  assert.equal(described(pagesClient, { client_name: "Claude" }).name, "Toolplane");
});

test("the name of a document has its host, whatever the document calls itself", () => {
  const document = "https://evil.example/client.json";
  const nameOf = (client_name?: unknown) => described(document, { client_name }).name;
  const { verified, address } = described(document);
  assert.deepEqual([verified, address], [true, document]);
  assert.equal(nameOf(), "evil.example");
  assert.equal(nameOf("Claude"), "Claude (evil.example)");
  assert.equal(nameOf("Claude (claude.ai)"), "Claude claude.ai (evil.example)");
  assert.equal(nameOf("()"), "evil.example");
});

test("nothing that a client says of itself verifies it", () => {
  const claims: object[] = [
    { toolplane_client: "known" },
    { verified: true, standing: "configured" },
    { client_id: "ci" },
    { client_id: "https://claude.ai/client.json" },
    { id: "ci", constructor: { name: "ci" } },
  ];
  for (const claim of claims) {
    const shown = described("random", { client_name: "Claude", ...claim });
    assert.deepEqual(shown, { id: "random", name: "Claude", address: null, verified: false });
  }
  for (const id of ["__proto__", "constructor", "toString", "CI", "http://claude.ai/client.json"])
    assert.equal(described(id).verified, false, id);
});
