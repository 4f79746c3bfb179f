import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { principalOf } from "../../src/index.ts";
import { type Script, startScriptedModel } from "../fixtures/llm-script.ts";
import { readSse } from "../fixtures/read-sse.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { agentWorld } from "./agent-world.ts";
import { fixture, startServe, writeConfig } from "./support.ts";

const secret = "sk-live-abcdefghijklmnop1234";
const waits: Script = [
  {
    kind: "tools",
    reasoning: `I wait with ${secret}.`,
    calls: [{ name: "fx__slow", arguments: { ms: 60_000 } }],
  },
  { kind: "text", text: "Done." },
];

type Running = {
  id: string;
  question: string;
  conversation: string;
  calls: { tool: string; status: string | null }[];
};
type Whole = Running & { steps: unknown[]; messages: { role: string }[] };

suite("runs of agents that have not ended", { concurrency: 2 }, () => {
  test("a detached one outlives its client, shows what it does, and is stopped on request", async () => {
    await using directory = await temporaryDirectory();
    await using model = await startScriptedModel({ responses: waits });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    const config = await writeConfig(directory, { fx: fixture("echo") }, { models });
    await using serving = await startServe(config, directory.file("data"));
    const get = async <T>(path: string) => (await (await fetch(serving.url + path)).json()) as T;
    const listed = async () => (await get<{ runs: Running[] }>("/runs/running")).runs;
    const steps: unknown[] = [];
    const followed = new AbortController();
    const events = fetch(`${serving.url}/events`, {
      headers: { accept: "text/event-stream" },
      signal: followed.signal,
    }).then((response) =>
      readSse(response, (event) => steps.push((event as { type?: unknown }).type)),
    );
    const leave = new AbortController();
    const body = {
      question: `Wait for ${secret}`,
      conversation: "c-1",
      trace: "all_messages",
      detached: true,
    };
    const asked = fetch(`${serving.url}/agent`, {
      method: "POST",
      headers: { accept: "text/event-stream" },
      body: JSON.stringify(body),
      signal: leave.signal,
    }).then((response) => response.text());
    await until("the call", async () => (await listed())[0]?.calls[0]?.status === null);
    leave.abort();
    await assert.rejects(asked);

    const [run] = await listed();
    assert.ok(run);
    assert.deepEqual([run.conversation, run.calls.map(({ tool }) => tool)], ["c-1", ["fx__slow"]]);
    const [whole] = (await get<{ runs: Whole[] }>(`/runs/running?id=${run.id}`)).runs;
    assert.deepEqual(
      [whole?.steps.length, whole?.messages.map(({ role }) => role)],
      [1, ["user", "assistant"]],
    );
    assert.doesNotMatch(JSON.stringify([run, whole]), /sk-live/);
    await until("the event", () => steps.includes("agent.step"));
    followed.abort();
    await events.catch(() => undefined);

    const stop = (id: string, headers = {}) =>
      fetch(`${serving.url}/runs/${id}/stop`, {
        method: "POST",
        headers: { ...serving.proof, ...headers },
      });
    assert.equal((await stop(run.id)).status, 200);
    await until("the end", async () => (await listed()).length === 0);
    const kept = await get<{ outcome: string }>(`/runs/${run.id}`);
    assert.equal(kept.outcome, "cancelled");
    const again = await stop(run.id);
    assert.equal(again.status, 404);
    assert.match(((await again.json()) as { detail: string }).detail, /conversations running/);
  });

  test("is seen and stopped by whose it is, and by admins", async () => {
    await using world = await agentWorld(waits, { fx: fixture("echo") });
    const { runs } = world.plane;
    const person = (user: string) => ({
      principal: principalOf({ user, scopes: ["read", "call"] }),
    });
    const ended = world.plane.agent.run("Wait", { ...person("ann") });
    await until("the call", async () => (await runs.running())[0]?.calls.length === 1);
    const [run] = await runs.running({}, person("ann"));
    assert.ok(run);
    assert.deepEqual(await runs.running({}, person("bob")), []);
    assert.deepEqual(await runs.running({ id: run.id }, person("bob")), []);
    await assert.rejects(runs.stop(run.id, person("bob")), { code: "NOT_FOUND" });
    assert.deepEqual(
      (await runs.running({ id: run.id }))[0]?.messages,
      [],
      "what is not kept is not shown",
    );
    assert.deepEqual(await runs.stop(run.id, person("ann")), { id: run.id });
    assert.equal((await ended).outcome, "cancelled");
    assert.deepEqual(await runs.running(), []);
  });
});
