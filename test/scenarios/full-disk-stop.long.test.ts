import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { test } from "node:test";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  processFixture as fixture,
  type Printed,
  runCli,
  startServeProcess,
  within,
} from "./support.ts";
import { skill, task, workConfig } from "./work-world.ts";

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

test("SIGTERM on a full disk, with calls and jobs under way, ends the plane with 4 and counts what is lost, and with room again nothing is called damaged", async (context) => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  using disk = mountSmallDisk(data, 4);
  if (disk === null) return context.skip("no disk can be mounted here: it takes Linux and root");
  const config = await workConfig(directory, { fx: fixture("echo") }, work);
  await using serving = await startServeProcess(config, data);
  let said = "";
  for (const stream of [serving.process.stdout, serving.process.stderr])
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  let isOver = false;
  let unrecorded = 0;
  let runs = 0;
  const call = async () => {
    const { body } = await postCall(serving.url, "fx.echo", { arguments: { message: "call" } });
    if ((body as Printed).call?.recorded === false) unrecorded += 1;
  };
  const run = async () => {
    const headers = { ...serving.proof, "content-type": "application/json" };
    const { status } = await fetch(`${serving.url}/jobs/say/run`, {
      method: "POST",
      headers,
      body: "{}",
    });
    if (status === 202) runs += 1;
  };
  const repeat = async (once: () => Promise<void>) => {
    while (!isOver) await once().catch(() => undefined);
  };
  const load = [call, call, call, call, run, run].map(repeat);
  await until("the first runs", () => runs > 5);
  const ballast = fillDisk(data);
  await until("calls that are not recorded", () => unrecorded > 20);
  const code = await within("the end of the plane", serving.stop("SIGTERM"));
  isOver = true;
  await Promise.all(load);
  assert.equal(code, 4);
  assert.match(said, /\d+ records? could not be written: .*no room left on its disk/);
  // As long as the disk is full, a plane starts or says why it cannot; it calls nothing damaged.
  const refused = await runCli(["calls", "verify", "--config", config, "--data-dir", data]);
  assert.ok([0, 4].includes(Number(refused.code)), refused.stderr);
  assert.doesNotMatch(refused.stderr, /damaged/);
  await rm(ballast);
  const started = await runCli(["calls", "verify", "--config", config, "--data-dir", data]);
  assert.equal(started.code, 0, started.stderr);
  assert.doesNotMatch(started.stderr, /damaged|lost/);
});
