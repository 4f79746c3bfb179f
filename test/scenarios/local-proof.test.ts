import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/callers/local-pass.ts";
import type { App } from "../../src/faces/http/route.ts";
import { isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, planeOf, startCli, writeConfig } from "./support.ts";

/** What calls, ends what was called, or only looks: the whole of what a program without a proof may send. */
const open = [
  "agent.run",
  "call",
  "code.run",
  "evaluateSearch",
  "pages.ask",
  "policy.preview",
  "policy.test",
  "prompts.get",
  "runs.stop",
  "skills.run",
];

suite("local means the same user", () => {
  let plane: Awaited<ReturnType<typeof planeOf>>;
  let app: App;
  const pass = createLocalPass();
  before(async () => {
    plane = await planeOf({});
    const setup = {} as NonNullable<Parameters<typeof createApp>[1]["setup"]>;
    app = createApp(plane, {
      host: "127.0.0.1",
      closing: new AbortController().signal,
      pass,
      setup,
    });
  });
  after(() => plane.stop());

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    app.request(`http://127.0.0.1${path}`, { method, headers: { host: "127.0.0.1", ...headers } });

  test("every operation that changes or approves takes a proof over HTTP, and no header stands in for it", async () => {
    const forged = {
      "x-toolplane-face": "workbench",
      "sec-fetch-site": "same-origin",
      origin: "http://127.0.0.1",
      "x-toolplane-session": "made-up",
      cookie: "toolplane_0=made-up",
    };
    const changing = operations.flatMap(({ name, http }) =>
      isMissing(http) || http.method === "get"
        ? []
        : [{ name, method: http.method, path: http.path, open: http.open }],
    );
    assert.deepEqual(changing.flatMap((one) => (one.open ? one.name : [])).sort(), open);
    assert.ok(changing.length > 30, String(changing.length));
    const others = [
      { name: "sign-in", method: "post", path: "/servers/{name}/sign-in", open: undefined },
    ];
    for (const one of [...changing, ...others]) {
      const path = one.path.replaceAll(/\{\w+\}/g, "x");
      for (const headers of [{}, forged]) {
        const response = await send(one.method.toUpperCase(), path, headers);
        const body = (await response.json()) as { data?: { needs?: string } };
        assert.equal(
          body.data?.needs,
          one.open ? undefined : "proof",
          `${one.name}: ${JSON.stringify(body)}`,
        );
        if (!one.open) assert.equal(response.status, 403, one.name);
      }
    }
    const proven = await send("DELETE", "/keys/none", { authorization: `Bearer ${pass.word}` });
    assert.equal(proven.status, 404, "the pass is a proof");
  });

  test("a page of another site or port is answered nothing, on any route", async () => {
    for (const { http } of operations) {
      if (isMissing(http)) continue;
      const path = http.path.replaceAll(/\{\w+\}/g, "x");
      for (const site of ["cross-site", "same-site", "Cross-Site"]) {
        const headers = {
          "sec-fetch-site": site,
          "sec-fetch-mode": "navigate",
          "sec-fetch-dest": "document",
        };
        const response = await send(http.method.toUpperCase(), path, headers);
        assert.equal(response.status, 403, `${http.method} ${http.path} ${site}`);
      }
    }
    assert.equal((await send("GET", "/tools", { "sec-fetch-site": "none" })).status, 200);
    assert.equal((await send("GET", "/tools", { "sec-fetch-site": "same-origin" })).status, 200);
  });
});

suite("the gateway on a plane without credentials", () => {
  test("a client without a proof is not asked for the yes to its own call", async () => {
    const policy = { rules: [{ tool: "one.echo", verdict: "ask" as const }] };
    const approvals = { holdMs: 1 };
    const config = { mcpServers: { one: fixture("echo") }, policy, approvals };
    await using gateway = await startGateway({}, { plane: { config } });
    const request = {
      method: "tools/call",
      params: { name: "one__echo", arguments: { message: "hi" } },
    };
    for (const [headers, isAsked] of [
      [{}, false],
      [gateway.proof, true],
    ] as const) {
      const client = await EraClient.open(gateway.url, "modern", {
        headers,
        capabilities: { elicitation: {} },
      });
      const answer = JSON.stringify(await client.exchange(request.method, request.params));
      assert.equal(answer.includes("input_required"), isAsked, answer);
    }
  });
});

suite("what other users of the machine can read and write", () => {
  test("serve prints the pass to no pipe unless it is asked to", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    for (const [more, isShown] of [
      [["--json"], false],
      [[], false],
      [["--json", "--print-pass"], true],
    ] as const) {
      const place = ["--config", config, "--data-dir", directory.file("data")];
      const running = startCli(["serve", "--port", "0", ...more, ...place]);
      const first = Promise.withResolvers<void>();
      running.process.stdout?.on(
        "data",
        (text) => String(text).includes("/workbench/") && first.resolve(),
      );
      await Promise.race([first.promise, running.result]);
      running.process.kill("SIGTERM");
      const { stdout } = await running.result;
      assert.match(stdout, /\/workbench\//);
      assert.equal(/#pass=/.test(stdout), isShown, stdout);
    }
  });
});
