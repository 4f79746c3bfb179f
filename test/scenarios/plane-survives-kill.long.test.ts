import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { postCall } from "./requests.ts";
import {
  processFixture as fixture,
  isAlive,
  pidsIn,
  startServeProcess,
  writeConfig,
} from "./support.ts";

test("every answered call is still recorded after the plane was killed, its health too, and no server is left", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  const config = await writeConfig(directory, { echo: fixture("echo", ["--log", log]) });
  const data = directory.file("data");
  const answered: string[] = [];
  for (let round = 0; round < 3; round++) {
    await using serve = await startServeProcess(config, data);
    for (let at = 0; at < 10; at++) {
      const { body } = await postCall(serve.url, "echo.echo", {
        arguments: { message: `${round} ${at}` },
      });
      answered.push((body.call as { id: string }).id);
    }
    await serve.stop("SIGKILL");
  }
  await until("the servers of the killed planes are gone", () => !pidsIn(log).some(isAlive));

  await using plane = await createPlane({ config, dataDirectory: data });
  const recorded = new Set((await plane.calls.list()).map(({ id }) => id));
  assert.deepEqual(
    answered.filter((id) => !recorded.has(id)),
    [],
  );
  assert.equal((await plane.tools.get("echo.echo")).health.total, answered.length);
});
