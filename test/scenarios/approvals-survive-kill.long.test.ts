import assert from "node:assert/strict";
import { after, mock, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createPlane } from "../../src/index.ts";
import type { HeldView, Plan } from "../../src/model/calls/held-schema.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { type Ask, approvalsIn, askAsStarter, eventually, put, putRoute } from "./approving.ts";
import { callsAt, processFixture as fixture, startServeProcess, writeConfig } from "./support.ts";

const rounds = 12;
const maxRoundMs = 900;
const yes = { decision: "approve" };
/** An hour and a half later every claim is over, and no question is yet. */
const laterMs = 90 * 60_000;

after(() => mock.timers.reset());

const labelOf = ({ arguments: args }: Pick<HeldView, "arguments">) => String(args.key ?? args.text);

/** What was asked of the planes, by the label of the call; said before it is sent, since no answer may ever come. */
type Said = { held: Set<string>; approved: Set<string> };

/** One after the other as long as the plane lives; the kill ends each of them somewhere. */
function actors(ask: Ask, round: number, said: Said): Promise<unknown>[] {
  const hold = async (label: string, headers = {}) => {
    const { status } = await ask(putRoute, put(label), headers);
    if (status === 202) said.held.add(label);
  };
  const pending = async () => approvalsIn(await ask("GET /approvals?status=pending"));
  const approve = async (held: HeldView) => {
    said.approved.add(labelOf(held));
    await ask(`POST /approvals/${held.id}`, yes);
  };
  const alone = async () => {
    for (let at = 0; at < 4; at++) {
      await hold(`${round}-never-${at}`);
      await hold(`${round}-alone-${at}`);
      const mine = (await pending()).find((held) => labelOf(held) === `${round}-alone-${at}`);
      if (mine) await approve(mine);
    }
  };
  const leftOver = async () => {
    const old = (await pending()).filter((held) => !/^\d+-(never|waits)/.test(labelOf(held)));
    for (const held of old) if (!labelOf(held).startsWith(`${round}-`)) await approve(held);
  };
  const waited = async () => {
    const label = `${round}-waits`;
    const answer = async () =>
      approve(
        await eventually("the question", async () =>
          (await pending()).find((one) => labelOf(one) === label),
        ),
      );
    await Promise.all([hold(label, { prefer: "wait=60" }), answer()]);
  };
  const planned = async () => {
    const conversation = `round ${round}`;
    for (let at = 0; at < 4; at++) {
      const body = { arguments: { text: `${round}-plan-${at}` }, conversation, mode: "plan" };
      const { status } = await ask("POST /tools/echo.write_note/call", body);
      if (status === 202) said.held.add(body.arguments.text);
    }
    const plans = (await ask("GET /plans?limit=1000")).body.plans as Plan[];
    const plan = plans.find((one) => one.conversation === conversation);
    const changes = plan?.changes.slice(0, 3) ?? [];
    for (const change of changes) said.approved.add(labelOf(change));
    await ask(`POST /plans/${plan?.id}/approve`, { ids: changes.map(({ id }) => id) });
  };
  return [alone(), leftOver(), waited(), planned()];
}

test(`${rounds} planes are killed while calls and plans are held, answered and run: nothing runs unapproved or twice, nothing is lost`, async (context) => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const more = {
    policy: { rules: [{ tool: "echo.put_note", verdict: "ask" }] },
    approvals: { timeoutMs: 2 * laterMs },
  };
  const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) }, more);
  const data = directory.file("data");
  const said: Said = { held: new Set(), approved: new Set() };
  for (let round = 0; round < rounds; round++) {
    const plane = await startServeProcess(config, data);
    const acting = Promise.allSettled(actors(askAsStarter(plane), round, said));
    // Any moment may be the last.
    await delay(Math.random() * maxRoundMs);
    await plane.stop("SIGKILL");
    await acting;
  }

  const last = await startServeProcess(config, data);
  const ask = askAsStarter(last);
  await eventually("the end of what was approved and left behind", async () => {
    const left = approvalsIn(await ask("GET /approvals?status=approved&limit=1000"));
    return left.every(({ claim }) => claim !== null) ? true : undefined;
  });
  await last.stop();

  mock.timers.enable({ apis: ["Date"], now: Date.now() + laterMs });
  await using plane = await createPlane({ config, dataDirectory: data, offline: true });
  const plans = await plane.plans.list();
  const all = [...(await plane.approvals.list()), ...plans.flatMap(({ changes }) => changes)];
  const ran = callsAt(log).map(({ arguments: args }) => labelOf({ arguments: args as never }));
  const times = (label: string) => ran.filter((one) => one === label).length;

  for (const label of new Set(ran)) {
    assert.ok(said.approved.has(label), `${label} ran and no one had approved it`);
    assert.equal(times(label), 1, `${label} ran ${times(label)} times`);
  }
  const byLabel = new Map(all.map((held) => [labelOf(held), held]));
  for (const label of said.held) assert.ok(byLabel.has(label), `${label} had to wait and is gone`);
  for (const [label, { status }] of byLabel) {
    if (label.includes("never")) assert.equal(status, "pending", label);
    if (status === "pending") assert.equal(times(label), 0, `${label} waits and ran`);
    if (status === "done") assert.equal(times(label), 1, `${label} is done and did not run`);
    assert.notEqual(status, "running", `${label} is said to run, and no one runs it`);
  }
  const counts = Object.groupBy(all, ({ status }) => status);
  context.diagnostic(
    Object.entries(counts)
      .map(([status, held]) => `${held?.length} ${status}`)
      .join(", "),
  );
});
