import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { request } from "node:http";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../../src/index.ts";
import type { ToolReview } from "../../../src/model/catalogue/quality-schema.ts";
import { trusted } from "../../../src/model/principal.ts";
import { fixtureEnvironment, temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson } from "../requests.ts";
import { assertFailed, runCli, startServe, textsOf, writeConfig } from "../support.ts";
import { startMcp } from "./mcp-client.ts";
import { watchHealth } from "./probes.ts";
import { rogue } from "./rogue.ts";

/** What no one sees: controls, marks of direction, characters without a width, tags. */
const hidden =
  /(?!\n|\t)\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** Every text in an answer, the names of fields among them. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
}

describe("rogue: security", () => {
  test("a server gets what its configuration names, and nothing of the plane's or of another's", async () => {
    await using directory = await temporaryDirectory();
    const servers = {
      a: rogue("leaks-env", [], { env: { OWN_A: "a's" } }),
      b: rogue("leaks-env", [], { env: { OWN_B: "b's" } }),
    };
    const config = await writeConfig(directory, servers);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { code, stdout } = await runCli(["call", "a.env", "--json", ...place], {
      env: { CANARY_SECRET: "canary-1234" },
    });
    assert.equal(code, 0);
    assert.match(stdout, /OWN_A/);
    assert.doesNotMatch(stdout, /CANARY|canary|OWN_B/);
  });

  test("what a definition hides is shown to no one and flagged; what is clean is not", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { poison: rogue("poisoned-description") });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    await using serving = await startServe(config, directory.file("data"));
    const { body } = await getJson(`${serving.url}/tools?limit=50`);
    const { tools } = body as unknown as {
      tools: { name: string; description: string; review?: ToolReview }[];
    };
    const listing = await runCli(["tools", "list", "--json", ...place]);
    const shown = await Promise.all(
      ["tag_block", "ansi"].map((name) => runCli(["tools", "show", `poison.${name}`, ...place])),
    );
    const texts = [tools, listing.json(), shown.map(({ stdout }) => stdout)].flatMap(textsIn);
    assert.deepEqual(
      texts.filter((text) => hidden.test(text)),
      [],
    );
    const flagged = tools
      .filter(({ review }) => (review?.findings.length ?? 0) > 0)
      .map(({ name }) => name);
    assert.equal(tools.length, 9);
    assert.ok(!flagged.includes("poison.clean"));
    const serious = tools.filter(({ review }) =>
      review?.findings.some(({ severity }) => severity !== "low"),
    );
    assert.equal(flagged.length, 8);
    assert.equal(serious.length, 8);
    const held = tools
      .filter(({ review }) => typeof review?.held === "string")
      .map(({ name }) => name);
    for (const name of [
      "tag_block",
      "zero_width",
      "bidi",
      "ansi",
      "html_comment",
      "important_block",
      "padding",
    ])
      assert.ok(held.includes(`poison.${name}`), name);
    await using client = await startMcp(config, directory.file("other"));
    const { result } = await client.ask("tools/list");
    const exported = result?.tools as { name: string; description: string }[];
    assert.ok(exported.some(({ name }) => name === "poison__clean"));
    assert.deepEqual(
      textsIn(exported).filter((text) => hidden.test(text)),
      [],
    );
    for (const { name, description } of exported.filter(({ name }) => name.startsWith("poison__")))
      assert.equal(
        description,
        tools.find((tool) => tool.name === name.replace("__", "."))?.description,
      );
  });

  test("a definition that changes after it was used is quarantined with what is different", async () => {
    await using directory = await temporaryDirectory();
    const config = { mcpServers: { rug: rogue("rug-pull") } };
    await using plane = await createPlane({
      config,
      dataDirectory: directory.file("data"),
      principal: trusted({ user: "ada" }),
    });
    assert.deepEqual(textsOf(await plane.call("rug.get_fact", { topic: "x" })), ["a fact"]);
    // It announces the change after its answer.
    await until(
      "the change",
      async () => (await plane.pins.get("rug.get_fact")).difference.length > 0,
    );
    assertFailed(await plane.call("rug.get_fact", { topic: "x" }), "TOOL_QUARANTINED", "refused");
    assertFailed(
      await plane.call("rug.get_fact", { topic: "x", note: "y" }),
      "TOOL_QUARANTINED",
      "refused",
    );
    assert.deepEqual(textsOf(await plane.call("rug.stable")), ["a fact"]);
    const places = (await plane.pins.get("rug.get_fact")).difference.map(({ where }) => where);
    assert.ok(places.includes("/description"), places.join());
  });

  test("a body without an end is answered before it has been read, and the answer can be read", async () => {
    await using directory = await temporaryDirectory();
    await using serving = await startServe(
      await writeConfig(directory, {}),
      directory.file("data"),
    );
    const { status, sent } = await pour(`${serving.url}/mcp`, 64);
    assert.equal(status, 413);
    assert.ok(sent < 64, `${sent} MB were taken`);
    assert.equal((await fetch(`${serving.url}/healthz`)).status, 200);
  });

  test("no pattern makes a search stand still", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { many: rogue("many-tools") });
    await using serving = await startServe(config, directory.file("data"));
    await getJson(`${serving.url}/tools?limit=1`);
    await using health = watchHealth(serving.url);
    for (const pattern of [
      "(a+)+$",
      "(.*a){25}",
      "^(?:[\\s\\S]*)*\\x00",
      "(",
      "a?".repeat(5_000),
    ]) {
      const query = new URLSearchParams({ q: pattern, regex: "true" });
      const { status } = await fetch(`${serving.url}/search?${query}`);
      assert.ok([200, 400, 431].includes(status), `${pattern.slice(0, 20)}: ${status}`);
    }
    health.assertAwake(30_000);
  });

  test("a reader that goes away after the first line gets no crash for an answer", async () => {
    const bin = fileURLToPath(new URL("../../../src/bin.ts", import.meta.url));
    const line = `${process.execPath} ${bin} config schema | head -c 10`;
    const said = await new Promise<string>((resolve) =>
      execFile("/bin/sh", ["-c", line], { env: fixtureEnvironment() }, (_, stdout, stderr) =>
        resolve(`${stdout.length} ${stderr}`),
      ),
    );
    assert.equal(said, "10 ");
  });
});

/** Sends a body of so many megabytes piece by piece, until it is answered. */
function pour(
  url: string,
  megabytes: number,
): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve) => {
    let sent = 0;
    let status: number | undefined;
    const asked = request(url, { method: "POST", headers: { "content-type": "application/json" } });
    const end = () => resolve({ status, sent });
    asked.on("error", end).on("response", (answer) => {
      status = answer.statusCode;
      end();
      asked.destroy();
    });
    const piece = "x".repeat(1024 * 1024);
    const go = () => {
      while (sent < megabytes && status === undefined) {
        sent += 1;
        if (!asked.write(piece)) return void asked.once("drain", go);
      }
    };
    asked.write('{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":"');
    go();
  });
}
