import assert from "node:assert/strict";
import { test } from "node:test";
import { injectedCall, sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import type { Policy, PolicyRule } from "../../model/access/policy.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Face } from "../../model/principal.ts";
import { createDecide, createPolicy, stricterMode } from "./decide.ts";

const noPatterns = () => () => [];

function decide(call: Parameters<ReturnType<typeof createDecide>>[0], policy: Partial<Policy>) {
  const { profile = "personal", mode = "build", rules = [], effects = {} } = policy;
  return createDecide({ profile, mode, rules, effects }, noPatterns)(call, profile ?? "personal");
}

type Profile = "personal" | "guarded" | "strict";

const profiles: [
  title: string,
  tool: Partial<Tool>,
  face: Face,
  verdicts: Record<Profile, "allow" | "ask">,
][] = [
  ["a tool without a description", {}, "mcp", { personal: "allow", guarded: "ask", strict: "ask" }],
  [
    "a tool whose configuration requires consent, called by a client",
    { consent: "explicit" },
    "mcp",
    { personal: "ask", guarded: "ask", strict: "ask" },
  ],
  [
    "the same from a program's command",
    { consent: "explicit" },
    "cli",
    { personal: "ask", guarded: "ask", strict: "ask" },
  ],
  [
    "the same clicked by a person",
    { consent: "explicit" },
    "workbench",
    { personal: "allow", guarded: "ask", strict: "ask" },
  ],
  [
    "a tool whose configuration needs no consent but may write",
    {
      consent: "explicit",
      metadata: sampleMetadata({ requires_consent: false, side_effects: "write" }),
    },
    "mcp",
    { personal: "allow", guarded: "ask", strict: "ask" },
  ],
  [
    "a dangerous tool",
    { metadata: sampleMetadata({ safety_level: "high", side_effects: "none" }) },
    "http",
    { personal: "ask", guarded: "ask", strict: "ask" },
  ],
  [
    "a tool without side effects",
    { metadata: sampleMetadata({ side_effects: "none" }) },
    "http",
    { personal: "allow", guarded: "allow", strict: "ask" },
  ],
  [
    "a read that its server claims",
    { annotations: { readOnlyHint: true } },
    "http",
    { personal: "allow", guarded: "ask", strict: "ask" },
  ],
  [
    "a read of a trusted server",
    { trusted: true, annotations: { readOnlyHint: true } },
    "library",
    { personal: "allow", guarded: "allow", strict: "allow" },
  ],
  [
    "a write of a trusted server",
    { trusted: true, annotations: { readOnlyHint: false } },
    "library",
    { personal: "allow", guarded: "ask", strict: "ask" },
  ],
];

for (const [title, tool, face, verdicts] of profiles) {
  for (const [profile, expected] of Object.entries(verdicts) as [Profile, string][]) {
    test(`${title}: ${profile} says ${expected}`, () => {
      const { verdict, origin, reason } = decide(
        { ...injectedCall(sampleTool(tool)), face },
        { profile, mode: "build", rules: [] },
      );
      assert.deepEqual([verdict, origin], [expected, `profile:${profile}`]);
      assert.notEqual(reason, "");
    });
  }
}

const personsCommand = injectedCall(sampleTool({ consent: "explicit" }));

test("what a person typed is consent in the profile personal, and in no other", () => {
  const typed = { ...personsCommand, face: "cli" as const, options: { typed: true } };
  const verdictIn = (profile: Profile) => decide(typed, { profile }).verdict;
  assert.deepEqual(
    [verdictIn("personal"), verdictIn("guarded"), verdictIn("strict")],
    ["allow", "ask", "ask"],
  );
  // Only a command can be typed: another face that says so is not believed.
  assert.equal(decide({ ...typed, face: "http" }, { profile: "personal" }).verdict, "ask");
});

const consentIsOnce: [what: string, tool: Partial<Tool>, verdicts: Record<Profile, boolean>][] = [
  [
    "a write that requires consent",
    { consent: "explicit", metadata: sampleMetadata({ requires_consent: true }) },
    { personal: true, guarded: false, strict: false },
  ],
  [
    "a write of a high safety level",
    { metadata: sampleMetadata({ safety_level: "high", side_effects: "write" }) },
    { personal: true, guarded: false, strict: false },
  ],
  [
    "a known read of a trusted server that requires consent",
    {
      consent: "explicit",
      trusted: true,
      metadata: sampleMetadata({ requires_consent: true, side_effects: "none" }),
    },
    { personal: true, guarded: true, strict: true },
  ],
];

for (const [what, tool, verdicts] of consentIsOnce) {
  for (const [profile, isOnce] of Object.entries(verdicts) as [Profile, boolean][]) {
    test(`${what} is asked about ${isOnce ? "once a conversation" : "each time"} in ${profile}`, () => {
      const { verdict, consent = false } = decide(injectedCall(sampleTool(tool)), { profile });
      assert.deepEqual([verdict, consent], ["ask", isOnce]);
    });
  }
}

const matching: [title: string, rule: Omit<PolicyRule, "verdict">, matches: boolean][] = [
  ["without conditions", {}, true],
  ["on the name", { tool: "notes.write" }, true],
  ["on the name for models", { tool: "notes__*" }, true],
  ["on another name", { tool: "notes.read" }, false],
  ["on the server", { server: "no*" }, true],
  ["on another server", { server: "git" }, false],
  ["on a side effect", { side_effects: ["write", "network"] }, true],
  ["on other side effects", { side_effects: ["write"] }, false],
  ["on a group of the caller", { groups: ["finance", "engineering"] }, true],
  ["on a group the caller is not in", { groups: ["finance"] }, false],
  ["on two conditions of which one fails", { tool: "notes.*", groups: ["finance"] }, false],
];

for (const [title, rule, matches] of matching) {
  test(`a rule ${title} ${matches ? "decides" : "does not decide"}`, () => {
    const rules: PolicyRule[] = [{ ...rule, verdict: "deny", reason: "not today" }];
    const { verdict, reason } = decide(injectedCall(), {
      profile: "personal",
      mode: "build",
      rules,
    });
    assert.deepEqual(
      [verdict, reason === "not today"],
      matches ? ["deny", true] : ["allow", false],
    );
  });
}

test("the first rule that matches decides, whatever the profile and the later rules say", () => {
  const rules: PolicyRule[] = [
    { tool: "other.*", verdict: "deny" },
    { tool: "notes.*", verdict: "queue" },
    { verdict: "allow" },
  ];
  const { verdict, origin, reason } = decide(injectedCall(), {
    profile: "strict",
    mode: "build",
    rules,
  });
  assert.deepEqual([verdict, origin], ["queue", "rule"]);
  assert.notEqual(reason, "");
});

const modes: [title: string, tool: Partial<Tool>, verdicts: Record<Policy["mode"], string>][] = [
  [
    "what is known to read",
    { metadata: sampleMetadata({ side_effects: "none" }) },
    { build: "allow", debug: "allow", plan: "allow", review: "allow" },
  ],
  [
    "what only sounds like reading",
    { id: { server: "notes", tool: "get_note" } },
    { build: "allow", debug: "allow", plan: "queue", review: "deny" },
  ],
  [
    "what writes",
    { metadata: sampleMetadata({ side_effects: "write" }) },
    { build: "allow", debug: "ask", plan: "queue", review: "deny" },
  ],
  [
    "an unknown effect",
    { id: { server: "notes", tool: "frobnicate" } },
    { build: "allow", debug: "ask", plan: "queue", review: "deny" },
  ],
];

for (const [title, tool, verdicts] of modes) {
  for (const [mode, expected] of Object.entries(verdicts) as [Policy["mode"], string][]) {
    test(`${title} in ${mode} mode: ${expected}`, () => {
      const { verdict, origin } = decide(injectedCall(sampleTool(tool)), { mode });
      assert.deepEqual(
        [verdict, origin],
        [expected, expected === "allow" ? "profile:personal" : `mode:${mode}`],
      );
    });
  }
}

test("a rule that allows does not lead around a mode, and one that denies is not softened by it", () => {
  const write = injectedCall(sampleTool({ metadata: sampleMetadata({ side_effects: "write" }) }));
  assert.equal(decide(write, { mode: "plan", rules: [{ verdict: "allow" }] }).verdict, "queue");
  assert.equal(decide(write, { mode: "plan", rules: [{ verdict: "deny" }] }).verdict, "deny");
});

test("a caller may ask for a stricter mode and for no other", () => {
  assert.equal(stricterMode("build", "plan"), "plan");
  assert.equal(stricterMode("review", "build"), "review");
  assert.equal(stricterMode("plan", undefined), "plan");
});

test("a rule about a server holds for a wrapper that leads to it", () => {
  const wrapper = sampleTool({
    id: { server: null, tool: "wrapped" },
    name: "wrapped",
    providers: [
      {
        name: "mcp",
        priority: 1,
        health_check_interval: 0,
        config: { server: "git", tool: "push" },
      },
    ],
  });
  const rules: PolicyRule[] = [{ server: "git", verdict: "deny" }];
  assert.equal(decide(injectedCall(wrapper), { rules }).verdict, "deny");
});

test("patterns look anywhere in an argument and in what hides in a list", async () => {
  const rules: PolicyRule[] = [{ arguments: { text: { regex: "rm\\s+-rf" } }, verdict: "ask" }];
  const policy: Policy = { profile: "personal", mode: "build", rules, effects: {} };
  const decided = createPolicy({
    policy: () => policy,
    isIsolated: () => false,
    targetsOf: () => [],
  });
  const ask = async (text: string | string[]) => {
    const call = injectedCall();
    return (await decided({ ...call, input: { ...call.input, arguments: { text } } }, "personal"))
      .verdict;
  };
  assert.equal(await ask("sudo rm  -rf /"), "ask");
  assert.equal(await ask(["ls", "rm -rf /"]), "ask");
  assert.equal(await ask("ls"), "allow");
});

test("a rule that allows by the name '*' waits until it is in force; one that denies does not", async () => {
  const policyOf = (verdict: PolicyRule["verdict"]): Policy => ({
    profile: "guarded",
    mode: "build",
    rules: [{ arguments: { "*": "/tmp/*" }, verdict }],
    effects: {},
  });
  let isInForce = false;
  const verdictBy = async (policy: Policy) => {
    const decided = createPolicy({
      policy: () => policy,
      isIsolated: () => false,
      targetsOf: () => [],
      allowsByAnyName: () => isInForce,
    });
    const call = injectedCall();
    const input = { ...call.input, arguments: { path: "/tmp/x" } };
    return (await decided({ ...call, input }, "guarded")).verdict;
  };
  const [allows, denies] = [policyOf("allow"), policyOf("deny")];
  assert.deepEqual([await verdictBy(allows), await verdictBy(denies)], ["ask", "deny"]);
  isInForce = true;
  assert.deepEqual([await verdictBy(allows), await verdictBy(denies)], ["allow", "deny"]);
});

test("the hint of an untrusted server raises the risk for rules that hold back, and lets no call through", () => {
  const destroys = {
    id: { server: "notes", tool: "frobnicate" },
    annotations: { destructiveHint: true },
  };
  const verdict = (tool: Partial<Tool>, risk: PolicyRule["risk"], given: PolicyRule["verdict"]) =>
    decide(injectedCall(sampleTool(tool)), {
      profile: "guarded",
      rules: [{ risk, verdict: given }],
    }).verdict;
  assert.equal(verdict(destroys, ["high"], "deny"), "deny");
  assert.equal(verdict(destroys, ["medium"], "deny"), "deny");
  assert.equal(verdict(destroys, ["high"], "allow"), "ask");
  assert.equal(verdict(destroys, ["medium"], "allow"), "ask");
  assert.equal(verdict(destroys, ["medium", "high"], "allow"), "allow");
  assert.equal(verdict({ ...destroys, trusted: true }, ["medium"], "deny"), "ask");
});

test("plan mode lets pass what a trusted or well-known server calls a read, and nothing that a stranger does", () => {
  const verdictOf = (tool: Partial<Tool>, mode: "plan" | "review" = "plan") =>
    decide(injectedCall(sampleTool(tool)), { mode }).verdict;
  const id = { server: "files", tool: "read_text_file" };
  assert.equal(verdictOf({ id }), "queue");
  assert.equal(verdictOf({ id, trusted: true }), "allow");
  assert.equal(verdictOf({ id, wellKnown: true }), "allow");
  assert.equal(
    verdictOf({
      id: { server: "files", tool: "directory" },
      wellKnown: true,
      annotations: { readOnlyHint: true },
    }),
    "allow",
  );
  for (const annotations of [{ readOnlyHint: false }, { destructiveHint: true }])
    assert.equal(verdictOf({ id, wellKnown: true, annotations }), "queue");
  assert.equal(
    verdictOf({ id: { server: "files", tool: "write_file" }, wellKnown: true }),
    "queue",
  );
  // Where nothing may change, a name is still no knowledge.
  assert.equal(verdictOf({ id, wellKnown: true }, "review"), "deny");
});
