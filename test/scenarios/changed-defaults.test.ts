import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { suite, test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import { makeOlder } from "../fixtures/older-store.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServeProcess, writeConfig } from "./support.ts";

const notice =
  /\d+ defaults? changed since version 0\.3\.0, which made this store\..*toolplane defaults list/;

suite("defaults that changed since the version that made the store", () => {
  test("are shown by the start, doctor, config validate and their own command until they are decided", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    const fresh = await runCli(["defaults", "list", ...place]);
    assert.match(fresh.stdout, /No default has changed/);
    await runCli(["call", "echo.echo", "message=hi", ...place]);
    makeOlder(data);

    assert.match((await runCli(["config", "validate", ...place])).stdout, notice);
    assert.match((await runCli(["doctor", ...place])).stdout, notice);
    {
      await using serving = await startServeProcess(config, data);
      const lines = createInterface({ input: serving.process.stderr as Readable });
      for await (const line of lines) if (notice.test(line)) break;
    }
    const listed = JSON.parse((await runCli(["defaults", "list", "--json", ...place])).stdout);
    for (const { id } of listed.changes) {
      const accepted = await runCli(["defaults", "accept", id, ...place]);
      assert.equal(accepted.code, 0, accepted.stderr);
      assert.match(accepted.stdout, /accepted/);
    }
    assert.doesNotMatch((await runCli(["config", "validate", ...place])).stdout, notice);
    const audited = JSON.parse((await runCli(["audit", "list", "--json", ...place])).stdout);
    assert.ok(JSON.stringify(audited).includes("defaults.accept"));
  });

  test("a kept life of questions and an undecided rule of allowance are as they were", async () => {
    await using directory = await temporaryDirectory();
    const rules = [
      { tool: "echo.put_note", arguments: { text: "b*" }, verdict: "ask" },
      { arguments: { "*": "a*" }, verdict: "allow" },
      { tool: "echo.put_note", verdict: "ask" },
    ];
    const config = await writeConfig(directory, { echo: fixture("echo") }, { policy: { rules } });
    const dataDirectory = directory.file("data");
    {
      await using first = await createPlane({ config, dataDirectory });
      await first.call("echo.echo", { message: "hi" });
    }
    makeOlder(dataDirectory);
    const waits = async (plane: Plane, text: string) => {
      const { call } = await plane.call("echo.put_note", { key: "a key", text });
      if (call.status !== "waiting") return null;
      const [question] = await plane.approvals.list({ status: "pending" });
      return question;
    };
    await using plane = await createPlane({ config, dataDirectory });
    await plane.defaults.keep("approvals.expireMs");
    const question = await waits(plane, "apple");
    assert.equal(Date.parse(question?.expiresAt ?? "") - Date.parse(question?.at ?? ""), 300_000);
    await plane.defaults.accept("rules-allow-by-any-name");
    assert.equal(await waits(plane, "apricot"), null);
    assert.notEqual(await waits(plane, "banana"), null);
  });

  test("a decision on one that never changed, and a kept one that is gone, are refused with the remedy", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    const unknown = await runCli(["defaults", "accept", "nothing", ...place]);
    assert.match(unknown.stderr, /No default 'nothing' has changed for this plane/);
    await runCli(["call", "echo.echo", "message=hi", ...place]);
    makeOlder(data);
    const gone = await runCli(["defaults", "keep", "writes-are-sent-once", ...place]);
    assert.equal(gone.code, 2, gone.stdout);
    assert.match(gone.stderr, /cannot be kept\. A repeated write may run twice/);
  });
});
