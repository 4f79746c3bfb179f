import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, suite, test } from "node:test";
import type { ToolListing } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli } from "./support.ts";

const google = {
  name: "google_search",
  version: "1.0.0",
  side_effects: "none",
  default_timeout: 30,
  auth: {
    required: true,
    type: "api_key",
    envs: {
      GOOGLE_API_KEY: { required: true },
      GOOGLE_CSE_ID: { required: true },
      SERPAPI_KEY: { optional: true },
    },
  },
  allow_parallel: true,
  description: "A Google search result API...",
  parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

suite("credentials belong to a provider", () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => directory[Symbol.asyncDispose]());
  const endpoint = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ asked: request.url }));
  });
  before(() => new Promise<void>((done) => void endpoint.listen(0, "127.0.0.1", done)));
  after(() => void endpoint.close());
  const at = (path: string) =>
    `http://127.0.0.1:${(endpoint.address() as { port: number }).port}${path}`;
  const http = (priority: number | undefined, url: string) => ({
    name: "http",
    ...(priority === undefined ? {} : { priority }),
    config: { method: "GET", url },
  });
  /** The call and the tool on the command line, with these variables. */
  const ask = async (tool: object, env: Record<string, string>) => {
    const file = directory.file("google.json");
    await writeFile(file, JSON.stringify({ tools: { google_search: tool } }));
    const run = (...words: string[]) =>
      runCli([...words, "--json", "--config", file, "--data-dir", directory.file("data")], { env });
    const call = (await run("call", "google_search", "query=x")).stdout;
    const listed = (await run("tools", "list")).json() as { tools: ToolListing[] };
    return { call, tool: listed.tools[0] as ToolListing };
  };

  test("a tool of several keys falls over to the provider that has its key", async () => {
    for (const [first, second] of [
      [10, 20],
      [undefined, undefined],
    ] as const) {
      const providers = [
        http(first, `${at("/cse")}?key=\${GOOGLE_API_KEY}&cx=\${GOOGLE_CSE_ID}`),
        http(second, `${at("/serp")}?key=\${SERPAPI_KEY}`),
      ];
      const { call, tool } = await ask({ ...google, providers }, { SERPAPI_KEY: "s" });
      assert.match(call, /\/serp\?key=/);
      assert.equal(tool.unavailable, null);
      const [cse, serp] = Object.values(tool.health.providers).map(({ router }) => router);
      assert.equal(cse?.healthy, false);
      assert.match(String(cse?.last_error), /GOOGLE_API_KEY/);
      assert.deepEqual([serp?.healthy, serp?.last_error], [true, null]);
    }
  });

  test("providers that name no variable: the first needs the required ones, the next one of the others", async () => {
    const tool = { ...google, providers: [http(1, at("/cse")), http(2, at("/serp"))] };
    assert.match((await ask(tool, { SERPAPI_KEY: "s" })).call, /\/serp/);
    assert.match((await ask(tool, { GOOGLE_API_KEY: "g", GOOGLE_CSE_ID: "c" })).call, /\/cse/);
    const none = await ask(tool, {});
    assert.match(none.call, /NO_PROVIDER[\s\S]*GOOGLE_API_KEY and GOOGLE_CSE_ID/);
    assert.match(String(none.tool.unavailable), /GOOGLE_CSE_ID/);
  });

  test("a provider may name its own variables", async () => {
    const own = (spec: object, name: string) => ({
      ...spec,
      auth: { envs: { [name]: { required: true } } },
    });
    const providers = [own(http(1, at("/a")), "KEY_A"), own(http(2, at("/b")), "KEY_B")];
    assert.match(
      (await ask({ ...google, auth: { required: false }, providers }, { KEY_B: "b" })).call,
      /\/b/,
    );
  });
});
