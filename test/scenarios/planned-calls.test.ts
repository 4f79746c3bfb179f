import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { Plane } from "../../src/index.ts";
import { createPlane } from "../../src/index.ts";
import { principalOf } from "../../src/model/principal.ts";
import { isWholeTier } from "../fixtures/tier.ts";

const root = mkdtempSync(join(tmpdir(), "planned-"));
const fixture = (name: string) => join(import.meta.dirname, `../fixtures/servers/${name}.ts`);

type Settings = { rules: readonly object[]; mode: string; deny: readonly string[]; failures: number };

const rules: Record<string, readonly object[]> = {
  none: [],
  denyTool: [{ tool: "fault.ok", verdict: "deny", reason: "closed" }],
  denyFace: [{ faces: ["mcp"], verdict: "deny", reason: "not here" }],
  denyValue: [{ arguments: { message: "bad.*" }, verdict: "deny", reason: "bad word" }],
  atNoTime: [{ time: { from: "00:00", to: "00:01", days: [] }, verdict: "deny", reason: "never" }],
};

function configOf({ rules: policy, mode, deny, failures }: Settings) {
  return {
    mcpServers: {
      fault: {
        command: process.execPath,
        args: [fixture("fault")],
        deny_tools: deny,
        circuit: { failures, openMs: 60_000 },
        autoConnect: false,
      },
      echo: { command: process.execPath, args: [fixture("echo")], autoConnect: false },
    },
    policy: { rules: policy, mode, profile: "personal" },
  };
}

/** Two planes with the same life: one plans its calls, the other is given an option that only the stages look at. */
async function open(name: string, isPlanned: boolean) {
  const file = join(root, `${name}.json`);
  const usual: Settings = { rules: [], mode: "build", deny: [], failures: 3 };
  let settings = usual;
  writeFileSync(file, JSON.stringify(configOf(settings)));
  const plane: Plane = await createPlane({ config: file, dataDirectory: join(root, name) });
  const callers = { ann: principalOf({ user: "ann" }), reader: principalOf({ user: "reader", scopes: ["read"] }) };
  return {
    plane,
    async begin(): Promise<void> {
      await this.change(usual);
      await plane.servers.connect("fault");
      await plane.pins.accept("fault.ok").catch(() => undefined);
    },
    async change(next: Partial<Settings>): Promise<void> {
      settings = { ...settings, ...next };
      writeFileSync(file, JSON.stringify(configOf(settings)));
      await plane.reload();
    },
    async call(tool: string, args: object, who: keyof typeof callers) {
      const options = { principal: callers[who], face: "mcp" as const };
      const more = isPlanned ? {} : { approvalWaitMs: 1 };
      const { ok, call, result, error } = await plane.call(tool, args, { ...options, ...more });
      const record = await plane.calls.get(call.id);
      const { id: _, at: __, durationMs: ___, stages, attempts, resultHash: ____, error: _____, ...facts } = record;
      const tried = attempts.map(({ durationMs: ______, ...attempt }) => attempt);
      const events = await plane.events.list();
      const told = events.flatMap(({ event }) => ("callId" in event && event.callId === call.id ? [event.type] : []));
      const { id: _id, durationMs: _ms, ...report } = call;
      return {
        seen: { ok, report, result, code: error?.code, facts, tried, names: stages.map(({ stage }) => stage), told },
        isPlanned: stages.every(({ stage, ms }) => stage === "validate" || stage === "execute" || ms === 0),
      };
    },
  };
}

type World = Awaited<ReturnType<typeof open>>;

let planned: World;
let staged: World;
before(async () => {
  planned = await open("planned", true);
  staged = await open("staged", false);
});
after(async () => {
  await Promise.all([planned.plane.stop(), staged.plane.stop()]);
  await rm(root, { recursive: true });
});

type Called = Awaited<ReturnType<World["call"]>>;
type Step = (on: World) => Promise<Called[]>;

/** Both planes are refused the same, or not. */
const silent = (done: Promise<unknown>): Promise<Called[]> =>
  done.then(
    () => [],
    () => [],
  );
const change =
  (next: Partial<Settings>): Step =>
  async (on) => {
    await on.change(next);
    return [];
  };
const call =
  (tool: string, args: object): Step =>
  async (on) => [await on.call(tool, args, "ann"), await on.call(tool, args, "ann")];
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("fault.ok", "fault.junk", "fault.none").map((tool) => call(tool, {})) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom({}, { message: "bad" }, { message: "fine" }, { message: 1 }, [])
      .map((args) => call("echo.echo", args)),
  },
  { weight: 1, arbitrary: fc.constant(call("fault.exit_mid_call", {})) },
  { weight: 1, arbitrary: fc.constant<Step>(async (on) => [await on.call("fault.ok", {}, "reader")]) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.values(rules)).map((one) => change({ rules: one })) },
  { weight: 1, arbitrary: fc.constantFrom("build", "review", "plan").map((mode) => change({ mode })) },
  { weight: 1, arbitrary: fc.constantFrom([], ["ok"], ["*"]).map((deny) => change({ deny })) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 3).map((failures) => change({ failures })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("accept", "reject").map(
      (decision): Step =>
        async (on) =>
          silent(on.plane.pins[decision as "accept" | "reject"]("fault.ok")),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>((on) => silent(on.plane.servers.disconnect("fault"))) },
  { weight: 1, arbitrary: fc.constant<Step>((on) => silent(on.plane.servers.connect("fault"))) },
);

test("whatever changes between calls, a planned call ends, is recorded and is reported as one that takes every stage", async () => {
  let calls = 0;
  let byPlan = 0;
  const life = fc.asyncProperty(fc.array(steps, { minLength: 4, maxLength: 14 }), async (sequence) => {
    await Promise.all([planned.begin(), staged.begin()]);
    for (const step of sequence) {
      const [ours, theirs] = await Promise.all([step(planned), step(staged)]);
      assert.deepEqual(
        ours.map(({ seen }) => seen),
        theirs.map(({ seen }) => seen),
      );
      calls += ours.length;
      byPlan += ours.filter(({ isPlanned }) => isPlanned).length;
    }
  });
  await fc.assert(life, { numRuns: isWholeTier ? 15 : 3, seed: 20 });
  assert.ok(byPlan > calls / 10, `${byPlan} of ${calls} calls were planned`);
});
