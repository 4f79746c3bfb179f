import assert from "node:assert/strict";
import { test } from "node:test";
import type { Validated } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import { type Isolation, type Profile, requireIsolation } from "./decide.ts";

const asks: Verdict = { verdict: "ask", origin: "profile:strict", reason: "x" };
const call = (level: string, ...providers: object[]) =>
  ({ tool: { metadata: { safety_level: level }, providers } }) as unknown as Validated;
const at = (server: string) => ({ name: "mcp", config: { server } });

function verdictOn(
  of: Validated,
  profile: Profile,
  setting?: "off" | "required",
  base = asks,
): Promise<Verdict> | Verdict {
  const isolation: Isolation = {
    setting: () => setting,
    isIsolated: (server) => server === "boxed",
  };
  return requireIsolation(async () => base, isolation)(of, profile);
}

test("what is most dangerous is refused where its server does not run isolated", async () => {
  const refused = await verdictOn(call("high", at("plain")), "strict");
  assert.equal(refused.verdict, "deny");
  assert.match(
    refused.reason,
    /server 'plain' does not run isolated \('mcpServers.plain.isolated'\)/,
  );
  assert.equal((await verdictOn(call("high", at("boxed"), at("plain")), "strict")).verdict, "deny");
  assert.equal(
    (await verdictOn(call("high", { name: "function", config: {} }), "strict")).verdict,
    "deny",
  );
});

test("it goes its way where it runs isolated or elsewhere, or is less dangerous", async () => {
  assert.equal(
    await verdictOn(call("high", at("boxed"), { name: "http", config: {} }), "strict"),
    asks,
  );
  assert.equal(await verdictOn(call("medium", at("plain")), "strict"), asks);
});

test("the strict profile asks for it, the others where the policy says so, and a rule counts before the profile", async () => {
  const ruled: Verdict = { verdict: "allow", origin: "rule", reason: "x" };
  const dangerous = call("high", at("plain"));
  assert.equal(await verdictOn(dangerous, "guarded"), asks);
  assert.equal(await verdictOn(dangerous, "strict", "off"), asks);
  assert.equal((await verdictOn(dangerous, "personal", "required")).verdict, "deny");
  assert.equal(await verdictOn(dangerous, "strict", undefined, ruled), ruled);
  assert.equal((await verdictOn(dangerous, "strict", "required", ruled)).verdict, "deny");
});
