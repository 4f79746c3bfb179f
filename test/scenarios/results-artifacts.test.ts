import assert from "node:assert/strict";
import { readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { observe } from "../../packages/agent/src/run-calls.ts";
import type { Outcome } from "../../src/index.ts";
import { fixtureEnvironment, temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson, postCall } from "./requests.ts";
import { runCli, startServe, writeConfig } from "./support.ts";

const { NODE_COMPILE_CACHE } = fixtureEnvironment();
const large = {
  command: process.execPath,
  args: [fileURLToPath(new URL("large-server.ts", import.meta.url))],
  env: { NODE_COMPILE_CACHE },
};
const views = [
  { name: "../../plan.sh", mimeType: "application/x-sh", bytes: 8 },
  { name: "plan.sh", mimeType: "application/x-sh", bytes: 8 },
];

suite("results with artifacts", () => {
  test("the command line names them, and saves them where the flag says and nowhere else", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { large });
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const call = (...more: string[]) => runCli(["call", "large.artifacts", ...more, ...common]);
    const shown = await call();
    assert.match(
      shown.stdout,
      /^one plan\n[\s\S]*"steps": 2[\s\S]*\[artifact plan\.sh, application\/x-sh, 8 bytes;/,
    );
    assert.ok(!shown.stdout.includes("ZWNoby"), "no bytes of a file on a terminal");

    const target = directory.file("saved");
    const saved = await call("--save-artifacts", target, "--json");
    const { artifacts, saved: files } = saved.json();
    assert.deepEqual(artifacts, views);
    assert.deepEqual(
      (files as { path: string }[]).map(({ path }) => path),
      [join(target, "plan.sh"), join(target, "2-plan.sh")],
    );
    assert.deepEqual((await readdir(target)).sort(), ["2-plan.sh", "plan.sh"]);
    assert.equal(await readFile(join(target, "2-plan.sh"), "utf8"), "echo ho\n");

    const again = await call("--save-artifacts", target);
    assert.equal(again.code, 2);
    assert.match(
      again.stderr,
      /plan\.sh' is there already\. Name another directory, or add --force/,
    );
    const outside = directory.file("outside");
    await writeFile(outside, "mine");
    const linked = directory.file("linked");
    await call("--save-artifacts", linked);
    await rm(join(linked, "plan.sh"));
    await symlink(outside, join(linked, "plan.sh"));
    const forced = await call("--save-artifacts", linked, "--force");
    assert.equal(forced.code, 0, forced.stderr);
    assert.equal(await readFile(join(linked, "plan.sh"), "utf8"), "echo hi\n");
    assert.equal(await readFile(outside, "utf8"), "mine", "a link leads nowhere else");
    const both = await call("--save-artifacts", linked, "--max-result", "10");
    assert.equal(both.code, 2);
  });

  test("the outcome over HTTP lists them, and the limit of a result can be set there", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { large });
    await using serving = await startServe(config, directory.file("data"));
    const { body } = await postCall(serving.url, "large.artifacts", {});
    assert.deepEqual(body.artifacts, views);
    const cut = await postCall(serving.url, "large.rows", { maxResultBytes: 2_000 });
    const { id } = cut.body.stored as { id: string };
    const page = await getJson(`${serving.url}/results/${id}?lines=true&offset=1&limit=1`);
    assert.deepEqual([page.body.text, page.body.unit], [' "rows": [', "lines"]);
    const listed = await getJson(`${serving.url}/results?limit=1`);
    assert.equal((listed.body.results as { id: string }[])[0]?.id, id);
    const bad = await postCall(serving.url, "large.rows", { maxResultBytes: -1 });
    assert.deepEqual([bad.status, bad.body.code], [400, "USAGE"]);
  });
});

test("a model reads what a result says and the names of its files, never their bytes", () => {
  const b64 = Buffer.from("echo hello").toString("base64");
  const said = {
    results: { done: true },
    artifacts: [{ name: "plan.sh", b64, mime: "application/x-sh" }],
  };
  for (const result of [
    { content: [{ type: "text", text: JSON.stringify(said) }] },
    { content: [{ type: "text", text: JSON.stringify(said) }], structuredContent: said },
    { content: [], structuredContent: said },
  ]) {
    const seen = String(
      observe({ ok: true, call: { status: "succeeded" }, result } as unknown as Outcome),
    );
    assert.doesNotMatch(seen, new RegExp(b64));
    assert.match(seen, /\{"done":true\}\n\[artifact plan\.sh, application\/x-sh, 10 bytes\]/);
  }
});
