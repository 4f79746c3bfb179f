import assert from "node:assert/strict";
import { test } from "node:test";
import { fillDisk, mountSmallDisk } from "../fixtures/small-disk.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import { fixture, type Printed, startServeProcess, within } from "./support.ts";
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

test("SIGTERM on a full disk, with calls and jobs under way, ends the plane with 0 and counts what is lost", async (context) => {
  await using directory = await temporaryDirectory();
  const data = directory.file("data");
  using disk = mountSmallDisk(data, 4);
  if (disk === null) return context.skip("no disk can be mounted here: it takes Linux and root");
  const config = await workConfig(directory, { fx: fixture("echo") }, work);
  await using serving = await startServeProcess(config, data);
  let said = "";
  serving.process.stderr?.on("data", (chunk) => {
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
  fillDisk(data);
  await until("calls that are not recorded", () => unrecorded > 20);
  const code = await within("the end of the plane", serving.stop("SIGTERM"));
  isOver = true;
  await Promise.all(load);
  assert.equal(code, 0);
  assert.match(said, /\d+ records? could not be written: .*no room left on its disk/);
});
