import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { users } from "../../../test/fixtures/people.ts";
import { sampleMetadata, sampleServer, sampleTool } from "../../../test/samples/calls.ts";
import { shippedLevels } from "../../model/access/compliance.ts";
import type { AccessRequest } from "../../model/calls/call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import { anonymous, narrow, type Principal, principalOf, trusted } from "../../model/principal.ts";
import { createGrants, type GrantPorts } from "./grant.ts";

type Settings = Partial<ReturnType<GrantPorts["config"]>>;

function grantsWith(settings: Settings = {}, tools: readonly Tool[] = []) {
  const config = {
    servers: { notes: sampleServer() },
    personas: {},
    compliance: null,
    ...settings,
  };
  return createGrants({
    config: () => config,
    tool: ({ server, tool }) => tools.find(({ id }) => id.server === server && id.tool === tool),
    isInToolset: ({ id }, toolset) => toolset === "adding" && id.tool === "add",
  });
}

const { grantFor } = grantsWith();

/** What is said to a caller, or `yes`. */
function answer(
  who: Principal,
  tool: Partial<Tool>,
  settings: Settings = {},
  request: AccessRequest = {},
): string {
  const grant = grantsWith(settings).grantFor(who, sampleTool(tool), request);
  return "refused" in grant ? grant.refused : "yes";
}

const ada: Principal = principalOf({
  user: users.ada.name,
  groups: [...users.ada.groups],
  persona: "writer",
});
const bob: Principal = principalOf({ user: users.bob.name, groups: [...users.bob.groups] });
const forWriters = { metadata: sampleMetadata({ persona_allowlist: ["writer", "operator"] }) };

const cases: [title: string, who: Principal, tool: Partial<Tool>, answer: string][] = [
  ["a tool without restrictions is granted to every caller", anonymous, {}, "everyone"],
  ["one common group is enough", ada, { groups: ["finance", "engineering"] }, "group"],
  [
    "without a common group it is refused",
    bob,
    { groups: ["engineering"] },
    "members of engineering",
  ],
  [
    "an anonymous caller is in no group",
    anonymous,
    { groups: ["everyone"] },
    "members of everyone",
  ],
  ["a persona may use its own tools", ada, { persona: "writer" }, "everyone"],
  ["another persona may not", bob, { persona: "writer" }, "persona 'writer'"],
  ["a listed persona may use the tool", ada, forWriters, "everyone"],
  ["a caller without a persona is not on the list", bob, forWriters, "personas writer, operator"],
  [
    "the list is exact about capitals",
    { ...ada, persona: "Writer" },
    forWriters,
    "personas writer, operator",
  ],
  [
    "an empty list of personas refuses every caller",
    bob,
    { metadata: sampleMetadata({ persona_allowlist: [] }) },
    "no persona",
  ],
  [
    "the group does not make up for the persona",
    ada,
    { groups: ["engineering"], persona: "reader" },
    "'reader'",
  ],
];

for (const [title, who, tool, expected] of cases) {
  test(title, () => {
    const answer = grantFor(who, sampleTool(tool));
    const text = "refused" in answer ? answer.refused : answer.by;
    assert.ok(text.includes(expected), text);
    assert.equal("refused" in answer, !["everyone", "group"].includes(expected));
  });
}

suite("a server that is not for the caller", () => {
  const servers = (changes: Record<string, unknown>) => ({
    servers: { notes: sampleServer(changes) },
  });

  test("is closed when it is disabled, not configured, or of another workspace", () => {
    assert.match(answer(ada, {}, servers({ enabled: false })), /disabled/);
    assert.match(answer(ada, {}, { servers: {} }), /not configured/);
    const red = servers({ workspaces: ["red"] });
    assert.match(answer(ada, {}, red), /another workspace/);
    assert.equal(answer({ ...ada, workspace: "red" }, {}, red), "yes");
    assert.match(answer({ ...ada, workspace: "Red" }, {}, red), /another workspace/);
  });

  test("is listed where it is discoverable, with whom to ask, and not to other workspaces", () => {
    const locked = { groups: ["board"], discoverable: true, help_email: "cfo@example.org" };
    const grants = grantsWith(servers(locked));
    const grant = grants.grantFor(bob, sampleTool({ groups: ["board"] }));
    assert.deepEqual("refused" in grant && grant.locked, {
      author: null,
      help_email: "cfo@example.org",
    });
    assert.equal(grants.lockedServer(bob, "notes")?.locked, true);
    const elsewhere = grantsWith(servers({ ...locked, workspaces: ["red"] }));
    assert.equal(elsewhere.lockedServer(bob, "notes"), null);
    assert.equal(grantsWith(servers({ groups: ["board"] })).lockedServer(bob, "notes"), null);
  });

  test("is not reached by a tool written by hand, which goes another way or none", () => {
    const to = (server: string) => ({
      name: "mcp",
      priority: 0,
      health_check_interval: 300,
      config: { server, tool: "write" },
    });
    const http = {
      name: "http",
      priority: 1,
      health_check_interval: 300,
      config: { url: "https://x" },
    };
    const grants = grantsWith(servers({ groups: ["board"] }));
    const wrapper = (...providers: Tool["providers"]) =>
      sampleTool({ id: { server: null, tool: "note" }, name: "note", providers });
    const refused = grants.grantFor(bob, wrapper(to("notes")));
    assert.match("refused" in refused ? refused.refused : "", /where it leads .* members of board/);
    assert.ok(!("refused" in grants.grantFor(bob, wrapper(to("notes"), http))));
    assert.ok(grants.refuseProvider(bob, to("notes")));
    assert.equal(grants.refuseProvider(bob, http), null);
    assert.ok(
      !("refused" in grants.grantFor(bob, wrapper(to("nowhere")))),
      "it fails for another reason",
    );
  });

  test("nor by a tool written by hand that leads to a tool with conditions of its own", () => {
    const target = sampleTool({ metadata: sampleMetadata({ persona_allowlist: ["operator"] }) });
    const provider = {
      name: "mcp",
      priority: 0,
      health_check_interval: 300,
      config: { server: "notes", tool: "write" },
    };
    assert.match(grantsWith({}, [target]).refuseProvider(bob, provider)?.refused ?? "", /operator/);
    assert.equal(grantsWith().refuseProvider(bob, provider), null);
  });

  test("differs although its name begins alike", () => {
    const grants = grantsWith({
      servers: { a: sampleServer(), a_b: sampleServer({ groups: ["board"] }) },
    });
    const of = (server: string, tool: string) => sampleTool({ id: { server, tool }, groups: [] });
    assert.ok(!("refused" in grants.grantFor(bob, of("a", "b_c"))));
    assert.ok("refused" in grants.grantFor(bob, of("a_b", "c")));
    assert.ok("refused" in grants.grantFor(narrow(ada, { servers: ["a"] }), of("a_b", "c")));
  });
});

test("what cannot be decided is refused", () => {
  const broken = { ...ada, groups: null as unknown as string[] };
  assert.match(answer(broken, { groups: ["engineering"] }), /could not be found out/);
  const grants = createGrants({
    config: () => assert.fail("no configuration"),
    tool: () => undefined,
    isInToolset: () => false,
  });
  assert.ok("refused" in grants.grantFor(ada, sampleTool()));
  assert.ok(grants.refuseProvider(ada, sampleTool().providers[0] as Tool["providers"][number]));
});

test("a sub-agent has all servers, none or some, and never more than its caller", () => {
  const may = (who: Principal) => answer(who, {}) === "yes";
  assert.equal(may(narrow(ada, { servers: true })), true);
  assert.equal(may(narrow(ada, { servers: false })), false);
  assert.equal(may(narrow(ada, { servers: ["notes"] })), true);
  assert.equal(may(narrow(ada, { servers: ["Notes", "note", "notes "] })), false);
  const none = narrow(ada, { servers: [] });
  assert.equal(may(narrow(none, { servers: true })), false);
  assert.equal(may(narrow(none, { servers: ["notes"] })), false);
  assert.deepEqual(narrow(narrow(ada, { servers: ["a", "b"] }), { servers: ["b", "c"] }).servers, [
    "b",
  ]);
  assert.throws(() => narrow(ada, { servers: "notes" as unknown as string[] }), { code: "USAGE" });
});

test("a level that a call names can only tighten", () => {
  const settings = {
    compliance: shippedLevels,
    servers: { notes: sampleServer({ compliance_level: "SOC-2" }) },
  };
  const at = (compliance: string | null, request: AccessRequest = {}) =>
    answer({ ...ada, compliance }, {}, settings, request);
  assert.equal(at("HIPAA"), "yes");
  assert.match(at("Public"), /level is SOC2, and the caller works with Public/);
  assert.match(at("HIPAA", { compliance: "Public" }), /works with Public/);
  assert.match(at("Public", { compliance: "HIPAA" }), /works with Public/);
  assert.equal(at(null, { compliance: "hipaa" }), "yes");
});

test("groups of tools that are not the caller's are refused by name", () => {
  const kb = { metadata: sampleMetadata({ group: ["kb"] }) };
  assert.match(answer(bob, kb, {}, { toolGroups: ["kb"] }), /tool group 'kb'/);
  assert.match(answer(bob, {}, {}, { toolGroups: "*" }), /tool group '\*'/);
  assert.equal(answer({ ...bob, toolGroups: ["kb"] }, kb, {}, { toolGroups: ["kb"] }), "yes");
  assert.equal(answer(trusted({ user: "root" }), kb, {}, { toolGroups: ["kb"] }), "yes");
  assert.equal(answer({ ...bob, toolGroups: ["kb"] }, kb), "yes", "all that is theirs is meant");
});
