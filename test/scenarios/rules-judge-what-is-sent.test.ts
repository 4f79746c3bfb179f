import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { approvalIn } from "./approving.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";
import { openVerbatim } from "./verbatim-client.ts";

const servers = { raw: fixture("verbatim") };
const secret = "9007199254740993";
const rounded = "9007199254740992";
/** Texts of the same number, and of one that some readers take for it. */
const spelt = [
  secret,
  `${secret}.0`,
  "9.007199254740993e15",
  `[${secret}]`,
  `{"deep":[1,${secret}]}`,
  `"${secret}"`,
];

const wrapper = {
  description: "Asks the server under another name.",
  side_effects: "none",
  parameters: { type: "object", properties: { number: {} } },
  providers: [
    { name: "mcp", config: { server: "raw", tool: "line", argumentMap: { id: "number" } } },
  ],
};

type Face = (args: string) => Promise<string>;

/** Every face that takes a text, and each gives the text of its answer. */
async function eachFace(
  rules: object[],
  run: (face: string, call: Face) => Promise<void>,
): Promise<void> {
  const config = { mcpServers: servers, tools: { wrapped: wrapper }, policy: { rules } };
  await using gateway = await startGateway(servers, { plane: { config: config as never } });
  const root = gateway.url.replace("/mcp", "");
  for (const era of ["legacy", "modern"] as const) {
    const ask = await openVerbatim(gateway.url, era);
    await run(`/mcp, ${era}`, (id) =>
      ask("tools/call", `"name":"raw__line","arguments":{"id":${id}}`),
    );
    const lazy = await openVerbatim(`${gateway.url}?mode=lazy`, era);
    await run(`call_tool, ${era}`, (id) =>
      lazy(
        "tools/call",
        `"name":"call_tool","arguments":{"name":"raw.line","arguments":{"id":${id}}}`,
      ),
    );
  }
  const post = async (path: string, body: string) =>
    (await fetch(`${root}${path}`, { method: "POST", body })).text();
  await run("HTTP", (id) => post("/tools/raw.line/call", `{"arguments":{"id":${id}}}`));
  await run("a wrapper", (id) => post("/tools/wrapped/call", `{"arguments":{"number":${id}}}`));
  await run("the library", async (id) =>
    JSON.stringify(await gateway.plane.call("raw.line", `{"id":${id}}`)),
  );
}

suite("rules judge the digits that a server gets", () => {
  test("a rule that denies a number denies it in every spelling, on every face", () =>
    eachFace(
      [{ tool: "raw.line", arguments: { id: secret }, verdict: "deny" }],
      async (face, call) => {
        for (const id of spelt) assert.match(await call(id), /APPROVAL_DENIED/, `${face}: ${id}`);
        assert.match(await call("9007199254740995"), /9007199254740995/, face);
      },
    ));

  test("a number that some readers round to a denied one is denied too", () =>
    eachFace(
      [{ tool: "raw.line", arguments: { id: rounded }, verdict: "deny" }],
      async (face, call) => {
        for (const id of [secret, rounded])
          assert.match(await call(id), /APPROVAL_DENIED/, `${face}: ${id}`);
      },
    ));

  test("a rule on a number that is written out counts for one with an exponent", () =>
    eachFace(
      [
        { tool: "raw.line", arguments: { id: `1${"0".repeat(24)}` }, verdict: "deny" },
        { tool: "raw.line", arguments: { id: "0.0000001" }, verdict: "deny" },
      ],
      async (face, call) => {
        for (const id of ["1e24", "10E+23", `1${"0".repeat(24)}.0`, "[1e24]", "1e-7", "0.00000010"])
          assert.match(await call(id), /APPROVAL_DENIED/, `${face}: ${id}`);
      },
    ));

  test("a rule that allows one number allows no other that rounds to it", () =>
    eachFace(
      [
        { tool: "raw.line", arguments: { id: rounded }, verdict: "allow" },
        { tool: "raw.line", verdict: "deny" },
      ],
      async (face, call) => {
        if (face === "a wrapper") return;
        for (const id of spelt) assert.match(await call(id), /APPROVAL_DENIED/, `${face}: ${id}`);
        assert.match(await call(rounded), /9007199254740992/, face);
      },
    ));

  test("the command line judges it too, and the test of a policy takes no number that it would judge as another", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "raw.line", arguments: { id: secret }, verdict: "deny" }];
    const config = await writeConfig(directory, servers, { policy: { rules } });
    const words = [
      "--args",
      `{"id":${secret}}`,
      "--json",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ];
    const called = await runCli(["call", "raw.line", ...words]);
    assert.match(called.stdout, /APPROVAL_DENIED/);
    await using serving = await startServe(config, directory.path);
    const body = `{"tool":"raw.line","arguments":{"id":${secret}}}`;
    const response = await fetch(`${serving.url}/policy/test`, {
      method: "POST",
      body,
      headers: serving.proof,
    });
    assert.match(await response.text(), /another number as soon as it is read/);
  });

  test("a yes that is remembered for one number is no yes to another that rounds to it", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers, { policy: { profile: "guarded" } });
    await using serving = await startServe(config, directory.path);
    const ask = async (path: string, body: string) => {
      const response = await fetch(`${serving.url}${path}`, {
        method: "POST",
        body,
        headers: serving.proof,
      });
      return { status: response.status, body: (await response.json()) as never };
    };
    const call = (id: string) => ask("/tools/raw.line/call", `{"arguments":{"id":${id}}}`);
    const remember = { decision: "approve", remember: { for: "arguments" } };
    await ask(`/approvals/${approvalIn(await call(rounded))}`, JSON.stringify(remember));
    assert.equal((await call(rounded)).status, 200);
    assert.equal((await call(secret)).status, 400);
  });
});
