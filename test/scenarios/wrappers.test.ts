import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, narrow, type Principal, principalOf } from "../../src/index.ts";
import { namedServer } from "./support.ts";

const ann = principalOf({ user: "ann" });
const as = (principal: Principal) => ({ principal });

const takesHow = { type: "object", properties: { how: { type: "string" } } };

const wrap = (tool: string, more: object = {}, config: object = {}) => ({
  description: "Written by hand.",
  side_effects: "none" as const,
  ...more,
  providers: [{ name: "mcp", config: { server: "n", tool, ...config } }],
});

suite("a wrapper", () => {
  test("does not lead around deny_tools, plan mode, review mode or consent", async () => {
    const servers = { n: { ...namedServer("n", ["raw", "off"]), deny_tools: ["off"] } };
    const tools = { peek: wrap("off"), soft: wrap("raw") };
    await using plane = await createPlane({ config: { mcpServers: servers, tools } });
    assert.equal((await plane.call("soft")).ok, true);
    const denied = await plane.call("peek", {}, as(ann));
    assert.equal(denied.error?.code, "TOOL_NOT_FOUND");
    assert.equal((await plane.call("soft", {}, { mode: "plan" })).error?.code, "PLAN_QUEUED");
    assert.equal((await plane.call("soft", {}, { mode: "review" })).error?.code, "APPROVAL_DENIED");
    await using asking = await createPlane({
      config: {
        mcpServers: { n: { ...namedServer("n", ["raw"]), requires_consent: true } },
        tools: { soft: tools.soft },
      },
    });
    assert.equal((await asking.call("soft")).error?.code, "APPROVAL_REQUIRED");
  });

  test("does not lead around the isolation that its target needs", async () => {
    await using plane = await createPlane({
      config: {
        mcpServers: { n: namedServer("n", ["raw"]) },
        tools: { soft: wrap("raw") },
        overlays: { "n.raw": { safety_level: "high" } },
        policy: { isolation: "required" },
      },
    });
    assert.equal((await plane.call("soft")).error?.code, "APPROVAL_DENIED");
  });

  test("needs the flags that its target needs for the operation of the mapped arguments", async () => {
    const personas = {
      clerk: { flags: { reads: true } },
      chief: { flags: { reads: true, writes: true } },
    };
    await using plane = await createPlane({
      config: {
        mcpServers: { n: namedServer("n", ["raw"]) },
        personas,
        tools: {
          soft: wrap("raw", { parameters: takesHow }, { argumentMap: { operation: "how" } }),
        },
        overlays: { "n.raw": { requires_flags: { read: ["reads"], write: ["writes"] } } },
        policy: { profile: "personal" },
      },
    });
    const called = async (persona: string, how: string) =>
      (await plane.call("soft", { how }, as(principalOf({ user: "ann", persona })))).error?.code;
    assert.equal(await called("clerk", "read"), undefined);
    assert.equal(await called("chief", "write"), undefined);
    assert.equal(await called("clerk", "write"), "FORBIDDEN");
    assert.equal(await called("none", "read"), "FORBIDDEN");
  });

  test("is judged by the arguments that its target gets, also by fixed ones", async () => {
    const rules = [{ tool: "n.raw", arguments: { branch: "main" }, verdict: "deny" as const }];
    const parameters = { type: "object", properties: { b: { type: "string" } } };
    const tools = {
      mapped: wrap("raw", { parameters }, { argumentMap: { branch: "b" } }),
      fixed: wrap("raw", {
        parameters: { type: "object" },
        arguments: [{ name: "branch", fixed: "main" }],
      }),
    };
    await using plane = await createPlane({
      config: { mcpServers: { n: namedServer("n", ["raw"]) }, tools, policy: { rules } },
    });
    assert.equal((await plane.call("mapped", { b: "main" })).error?.code, "APPROVAL_DENIED");
    assert.equal((await plane.call("mapped", { b: "topic" })).ok, true);
    assert.equal((await plane.call("fixed")).error?.code, "APPROVAL_DENIED");
  });
});

test("a tool that the caller may not see and one that does not exist are one error", async () => {
  const servers = {
    hr: { ...namedServer("hr", ["pay"]), groups: ["hr"] },
    open: namedServer("open", ["look"]),
  };
  await using plane = await createPlane({
    config: {
      mcpServers: servers,
      tools: {
        wrapped: {
          ...wrap("pay"),
          providers: [{ name: "mcp", config: { server: "hr", tool: "pay" } }],
        },
      },
    },
  });
  await plane.tools.list();
  for (const caller of [ann, narrow(ann, { servers: ["open"] })]) {
    const told = async (name: string) => {
      const { error, call } = await plane.call(name, {}, as(caller));
      return JSON.stringify([error, call.status]).replaceAll(name, "NAME");
    };
    const unknown = await told("zz.qqqq");
    for (const name of ["hr.pay", "wrapped", "hr__pay"])
      assert.equal(await told(name), unknown, name);
  }
});

test("in plan and review mode the name of a tool is no knowledge of what it does", async () => {
  await using plane = await createPlane({
    config: { mcpServers: { n: namedServer("n", ["get_report", "lookup"]) } },
  });
  for (const tool of ["n.get_report", "n.lookup"]) {
    assert.equal((await plane.call(tool, {}, { mode: "plan" })).error?.code, "PLAN_QUEUED");
    assert.equal((await plane.call(tool, {}, { mode: "review" })).error?.code, "APPROVAL_DENIED");
    assert.equal((await plane.call(tool, {}, { mode: "build" })).ok, true);
  }
});
