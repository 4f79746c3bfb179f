import assert from "node:assert/strict";
import { test } from "node:test";
import { SignJWT } from "jose";
import { signingKey, soon } from "../../../test/fixtures/issuer.ts";
import { createVerifyOwn } from "./verify-own.ts";

const origin = "https://tools.example.org";

test("what the plane signed for something else than access is no access token", async () => {
  const key = await signingKey("one");
  const verify = createVerifyOwn({
    keysAt: async () => ({ keys: [key.jwk] }),
    requireGrant: () => undefined,
  });
  const signed = (typ: string | undefined) =>
    new SignJWT({ iss: origin, sub: "ann", aud: `${origin}/mcp`, scope: "call", exp: soon(60) })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...(typ && { typ }) })
      .sign(key.privateKey);
  const shown = async (typ: string | undefined) => verify(await signed(typ), `${origin}/mcp`);
  assert.equal((await shown("at+jwt"))?.user, "ann");
  for (const typ of [undefined, "JWT", "logout+jwt", "oauth-id-jag+jwt"])
    await assert.rejects(shown(typ), { code: "UNAUTHENTICATED" }, typ);
});
