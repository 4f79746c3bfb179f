import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { suite, test } from "node:test";
import { serveStdio } from "../../src/faces/gateway/serve-stdio.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, runCli, writeConfig } from "./support.ts";
import { openVerbatim } from "./verbatim-client.ts";

const servers = { raw: fixture("verbatim") };
const written = '{"b":1.0,"a":"\\u0041\\u0000","10":1E2,"9":[ -0, 12345678901234567890 ]}';
const open: Record<string, string> = {
  "a member twice": '{"a":1,"b":{"c":1,"\\u0063":2}}',
  "half a character": '{"a":"\\uD800"}',
  "half a name": '{"a":{"\\udc00":1}}',
  "a number beyond all numbers": '{"a":[1e400]}',
  "another of them": `{"a":{"b":${"9".repeat(400)}}}`,
};

suite("arguments arrive as they were written, and what two readers may read differently is refused", () => {
  /** Each gives the text of what was answered. */
  type Face = (args: string, named?: string) => Promise<string>;

  async function eachFace(run: (face: string, call: Face) => Promise<void>): Promise<void> {
    await using gateway = await startGateway(servers);
    for (const era of ["legacy", "modern"] as const) {
      const ask = await openVerbatim(gateway.url, era);
      await run(`/mcp, ${era}`, (args) =>
        ask("tools/call", `"name":"raw__line","arguments":${args}`),
      );
    }
    const input = new PassThrough();
    const output = new PassThrough();
    let said = "";
    output.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
    });
    const over = serveStdio(gateway.plane, { input, output, signal: new AbortController().signal });
    const hello =
      '"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}';
    input.write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{${hello}}}\n`);
    await until("the handshake", () => said.includes("\n"));
    await run("standard input", async (args) => {
      said = "";
      input.write(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"raw__line","arguments":${args}}}\n`,
      );
      await until("the answer", () => said.includes("\n"));
      return said;
    });
    input.end();
    await over;
    await run("POST /tools/x/call", async (args) => {
      const url = `${gateway.url.replace("/mcp", "")}/tools/raw.line/call`;
      return (await fetch(url, { method: "POST", body: `{"arguments":${args}}` })).text();
    });
    await run("the library, with a text", async (args) =>
      JSON.stringify(await gateway.plane.call("raw.line", args)),
    );
  }

  test("on every face that is given a text", () =>
    eachFace(async (face, call) => {
      const sent = JSON.stringify(`"arguments":${written}`).slice(1, -1);
      const answered = await call(written);
      assert.ok(answered.includes(sent), `${face}: ${answered}`);
      for (const [what, args] of Object.entries(open)) {
        const refused = await call(args);
        assert.match(refused, /INVALID_ARGUMENTS/, `${face}, ${what}: ${refused}`);
        assert.match(refused, /cannot be read/, `${face}, ${what}: ${refused}`);
      }
    }));

  test("on the command line", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const call = async (args: string) => {
      const words = [
        "call",
        "raw.line",
        "--args",
        args,
        "--json",
        "--config",
        config,
        "--data-dir",
        directory.path,
      ];
      return (await runCli(words)).stdout;
    };
    assert.ok((await call(written)).includes(JSON.stringify(written).slice(1, -1)));
    for (const args of Object.values(open)) assert.match(await call(args), /INVALID_ARGUMENTS/);
  });

  test("a value of the library with half a character is refused, and a wrapped call is no way around", async () => {
    await using gateway = await startGateway(servers, {
      plane: { config: { mcpServers: servers, gateway: { mode: "lazy" } } as never },
    });
    const outcome = await gateway.plane.call("raw.line", { a: ["\ud800"] });
    assert.equal(outcome.error?.code, "INVALID_ARGUMENTS");
    const ask = await openVerbatim(`${gateway.url}?mode=lazy`, "legacy");
    const wrapped = (args: string) =>
      ask("tools/call", `"name":"call_tool","arguments":{"name":"raw.line","arguments":${args}}`);
    const sent = JSON.stringify(`"arguments":${written}`).slice(1, -1);
    const answered = await wrapped(written);
    assert.ok(answered.includes(sent), answered);
    assert.match(await wrapped(open["a member twice"] ?? ""), /INVALID_ARGUMENTS/);
  });

  test("a member of the envelope that is written twice is no request", async () => {
    await using gateway = await startGateway(servers);
    const body =
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"raw__line"}}';
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const response = await fetch(gateway.url, { method: "POST", headers, body });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /'method' is written twice/);
    const call = await fetch(`${gateway.url.replace("/mcp", "")}/tools/raw.line/call`, {
      method: "POST",
      body: '{"dryRun":true,"dryRun":false}',
    });
    assert.match(await call.text(), /'dryRun' is written twice/);
  });
});
