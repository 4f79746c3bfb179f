import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Plane, type Principal, principalOf } from "../../src/index.ts";
import { textsOf } from "./support.ts";

const as = (principal: Principal) => ({ principal });

suite("a weaker key of the same user", () => {
  async function twoKeys(plane: Plane) {
    const principalOfKey = async (asked: object) => {
      const { secret } = await plane.keys.create({ name: "k", user: "ann", ...asked });
      return plane.identity.identify(secret);
    };
    return { strong: await principalOfKey({ groups: ["hr"] }), weak: await principalOfKey({}) };
  }
  const long = { name: "long", description: "A long text.", side_effects: "none" as const };

  test("reads no result, call or activity of a stronger one", async () => {
    await using plane = await createPlane({
      config: { mcpServers: {}, policy: { profile: "personal" } },
    });
    plane.tools.register({ manifest: long, run: () => "secret ".repeat(10_000) });
    const { strong, weak } = await twoKeys(plane);
    const { stored, call } = await plane.call("long", {}, { ...as(strong), maxResultBytes: 1_000 });
    const id = String(stored?.id);
    assert.match((await plane.results.get(id, {}, as(strong))).text, /secret/);
    const read = await plane.call("read_result", { id }, as(strong));
    assert.match(String(textsOf(read)[0]), /secret/);
    await assert.rejects(plane.results.get(id, {}, as(weak)), { code: "NOT_FOUND" });
    assert.doesNotMatch(
      String(textsOf(await plane.call("read_result", { id }, as(weak)))[0]),
      /secret/,
    );
    await assert.rejects(plane.calls.get(call.id, as(weak)), { code: "NOT_FOUND" });
    assert.equal((await plane.calls.get(call.id, as(strong))).id, call.id);
    assert.deepEqual((await plane.results.page({}, as(weak))).results, []);
    assert.equal((await plane.results.page({}, as(strong))).results.length, 1);
    assert.deepEqual(
      (await plane.calls.list({}, as(weak))).map(({ tool }) => tool),
      ["read_result"],
    );
    assert.equal((await plane.calls.list({ limit: 1 }, as(strong))).length, 1);
    assert.deepEqual(
      (await plane.calls.activity(as(weak))).map(({ tool }) => tool),
      ["read_result"],
    );
    const seen = await plane.events.list(0, 100, as(weak));
    assert.ok(!JSON.stringify(seen).includes('"long"'));
    const counted = async (who: Principal) => {
      const { steps } = await plane.calls.series({ minutes: 5 }, as(who));
      return steps.reduce((sum, { calls }) => sum + calls, 0);
    };
    assert.deepEqual([await counted(strong), await counted(weak)], [2, 1]);
    const weakToken = principalOf({ user: "ann", scopes: ["read"] });
    await assert.rejects(plane.results.get(id, {}, as(weakToken)), { code: "NOT_FOUND" });
  });

  test("neither sees nor answers its approvals and plans", async () => {
    const rules = [
      { tool: "long", verdict: "ask" as const },
      { tool: "later", verdict: "queue" as const },
    ];
    await using plane = await createPlane({
      config: { mcpServers: {}, policy: { profile: "personal", rules } },
    });
    plane.tools.register({ manifest: long, run: () => "done" });
    plane.tools.register({ manifest: { ...long, name: "later" }, run: () => "done" });
    const { strong, weak } = await twoKeys(plane);
    const { approval } = await plane.call("long", {}, as(strong));
    const { plan } = await plane.call("later", {}, as(strong));
    const id = String(approval?.id);
    const planId = String(plan?.id);
    assert.deepEqual(await plane.approvals.list(as(weak)), []);
    assert.equal((await plane.approvals.page({ limit: 10 }, as(weak))).total, 0);
    await assert.rejects(plane.approvals.get(id, as(weak)), { code: "NOT_FOUND" });
    await assert.rejects(plane.approvals.answer(id, { decision: "approve" }, as(weak)), {
      code: "FORBIDDEN",
    });
    await assert.rejects(plane.plans.get(planId, as(weak)), { code: "NOT_FOUND" });
    const queued = await plane.call("later", {}, as(weak));
    assert.notEqual(
      queued.plan?.id,
      planId,
      "a weaker key's change is none of the stronger one's plan",
    );
    assert.equal((await plane.approvals.get(id, as(strong))).id, id);
    assert.equal(
      (await plane.approvals.answer(id, { decision: "approve" }, as(strong))).approval.status,
      "done",
    );
  });
});
