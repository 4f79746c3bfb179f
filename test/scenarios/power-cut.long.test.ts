import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../src/model/store.ts";
import { openStore } from "../../src/store/store.ts";
import { type PowerCuts, watchSyncs } from "../fixtures/cut-power.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { type Ask, approvalIn, askAsStarter, askAt, put, putRoute } from "./approving.ts";
import { type Printed, processFixture, startServeProcess } from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

const moments = 50;
const answersBetween = 12;

const work = {
  skills: [
    skill("say", { steps: [{ id: "say", tool: "fx.echo", arguments: { message: "job" } }] }),
  ],
  tasks: [task("say", ["say"])],
  jobs: [
    {
      name: "say",
      personas: ["Atlas"],
      task_graph: [{ task: "say" }],
      accepts_external_requests: true,
    },
  ],
};

type Answered = {
  calls: { id: string; at: number }[];
  revoked: string[];
  rejected: string[];
  jobs: string[];
};

const countOf = ({ calls, revoked, rejected, jobs }: Answered) =>
  calls.length + revoked.length + rejected.length + jobs.length;

/** Callers that note each answer; they end when `isOver` says so. */
function startLoad(ask: Ask, answered: Answered, isOver: () => boolean): Promise<unknown> {
  const call = async (message: string) => {
    const { status, body } = await ask("POST /tools/fx.echo/call", { arguments: { message } });
    if (status === 200)
      answered.calls.push({ id: (body as Printed).call?.id ?? "", at: performance.now() });
  };
  const revoke = async (name: string) => {
    const { key } = (await ask("POST /keys", { name, scopes: ["read"] })).body;
    const { id } = key as { id: string };
    const { status } = await ask(`DELETE /keys/${id}`);
    if (status < 300) answered.revoked.push(String(id));
  };
  const reject = async (name: string) => {
    const id = approvalIn(await ask(putRoute.replace("echo.", "fx."), put(name)));
    const { status } = await ask(`POST /approvals/${id}`, { decision: "reject" });
    if (status === 200) answered.rejected.push(id);
  };
  const run = async () => {
    const { status, body } = await ask("POST /jobs/say/run", {});
    if (status === 202) answered.jobs.push((body as { run: { id: string } }).run.id);
  };
  const repeat = async (act: (name: string) => Promise<void>) => {
    for (let turn = 0; !isOver(); turn += 1) await act(`turn ${turn}`);
  };
  return Promise.all([call, call, call, call, revoke, reject, run].map(repeat));
}

/** What a store opened on what was left does not have of what was answered. */
async function missingOf(store: Store, { calls, revoked, rejected, jobs }: Answered) {
  const keys = new Map((await store.apiKeys()).map((key) => [key.id, key.revokedAt]));
  const missing = { revoked: [] as string[], rejected: [] as string[], jobs: [] as string[] };
  for (const id of revoked) if (keys.get(id) == null) missing.revoked.push(id);
  for (const id of rejected)
    if ((await store.heldCall(id))?.status !== "rejected") missing.rejected.push(id);
  for (const id of jobs) if ((await store.jobRun(id)) === null) missing.jobs.push(id);
  const lost: Answered["calls"] = [];
  for (const call of calls) if ((await store.call(call.id)) === null) lost.push(call);
  return { missing, lost };
}

type Serving = Awaited<ReturnType<typeof startServeProcess>>;

/** The files as a power cut would leave them now, and what was answered until then. */
function cutPower(serving: Serving, cuts: PowerCuts, into: string, answered: Answered) {
  serving.process.kill("SIGSTOP");
  try {
    cuts.cut(into);
    return { into, at: performance.now(), answered: structuredClone(answered) };
  } finally {
    serving.process.kill("SIGCONT");
  }
}

async function startWatched(
  directory: TemporaryDirectory,
  cuts: PowerCuts,
  more: object,
): Promise<Serving> {
  const policy = { rules: [{ tool: "fx.put_note", verdict: "ask" }, { verdict: "allow" }] };
  const config = await workConfig(directory, { fx: processFixture("echo") }, work, {
    policy,
    ...more,
  });
  return startServeProcess(config, directory.file("data"), "0", [], cuts.setup);
}

for (const durability of ["power", "strict"] as const)
  test(`with '${durability}', a power cut at any of ${moments} moments takes no answered revocation, decision or job`, async (context) => {
    await using directory = await temporaryDirectory();
    const cuts = watchSyncs(directory.file("data"), directory.file("watch"));
    if (cuts === null) return context.skip("what is synced is seen with gcc on Linux only");
    const answered: Answered = { calls: [], revoked: [], rejected: [], jobs: [] };
    const left: ReturnType<typeof cutPower>[] = [];
    {
      await using serving = await startWatched(directory, cuts, { durability });
      let isOver = false;
      const admin = { name: "admin", scopes: ["admin", "call", "read"] };
      const { secret } = (await askAsStarter(serving)("POST /keys", admin)).body;
      const ask = askAt(serving.url, String(secret));
      const load = startLoad(ask, answered, () => isOver);
      let failed: unknown;
      const ended = load.catch((thrown) => {
        failed = thrown;
      });
      for (let moment = 0; moment < moments; moment += 1) {
        const enough = countOf(answered) + answersBetween;
        await until("more answers", () => failed !== undefined || countOf(answered) >= enough);
        assert.equal(failed, undefined);
        left.push(cutPower(serving, cuts, directory.file(`cut-${moment}`), answered));
      }
      isOver = true;
      await ended;
      assert.equal(failed, undefined);
      const last = answered.calls.at(-1)?.id ?? "";
      // Without another call, and without an end of the plane, the last call gets to the disk.
      let looks = 0;
      await until("the last call on the disk", async () => {
        const into = directory.file(`look-${looks++}`);
        cutPower(serving, cuts, into, answered);
        const { store } = await openStore({ address: { kind: "sqlite" }, directory: into });
        const isThere = (await store.call(last)) !== null;
        await store.close();
        return isThere;
      });
    }
    let oldestMs = 0;
    for (const { into, at, answered: before } of left) {
      const { store } = await openStore({ address: { kind: "sqlite" }, directory: into });
      const { missing, lost } = await missingOf(store, before);
      assert.deepEqual(missing, { revoked: [], rejected: [], jobs: [] }, into);
      if (durability === "strict") assert.deepEqual(lost, []);
      for (const call of lost) oldestMs = Math.max(oldestMs, at - call.at);
      const { ok, broken } = await store.verifyCalls();
      assert.deepEqual([ok, broken], [true, null], into);
      assert.equal((await store.verifyAudit()).ok, true, into);
      await store.close();
    }
    const kinds = Object.entries(answered).map(([kind, those]) => `${those.length} ${kind}`);
    context.diagnostic(
      `${kinds.join(", ")}; the oldest lost call was answered ${oldestMs} ms before`,
    );
  });

test("with 'process', the start and a check report what a power cut has taken", async (context) => {
  await using directory = await temporaryDirectory();
  const cuts = watchSyncs(directory.file("data"), directory.file("watch"));
  if (cuts === null) return context.skip("what is synced is seen with gcc on Linux only");
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  const answered: Answered = { calls: [], revoked: [], rejected: [], jobs: [] };
  await using serving = await startWatched(directory, cuts, { durability: "process" });
  const message = "before the cut";
  await askAsStarter(serving)("POST /tools/fx.echo/call", { arguments: { message } });
  let looks = 0;
  await until("a head on the disk", async () => {
    const { into } = cutPower(serving, cuts, directory.file(`look-${looks++}`), answered);
    const { store } = await openStore({ address: { kind: "sqlite" }, directory: into });
    const { ok, lost } = await store.verifyCalls();
    await store.close();
    return !ok && lost.length > 0;
  });
  assert.match(String(warned.mock.calls.at(-1)?.arguments[0]), /The store has lost records/);
});
