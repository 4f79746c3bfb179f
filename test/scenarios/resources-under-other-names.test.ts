import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import { fixture } from "./support.ts";

const spelt = [
  "file:///secret",
  "FILE:///secret",
  "file:///./secret",
  "file:///public/../secret",
  "file:///%73ecret",
  "file://localhost/secret",
  "file://127.0.0.1/secret",
  "file://anything.example/public/../secret",
  " file:///secret",
  "file:////secret",
  "file:///secret?x",
  "file:///public/%2e%2e/secret",
];

type Rules = { rules?: object[]; server?: Record<string, unknown> };

/** What each face answers about an address. */
async function eachFace(
  { rules = [], server = {} }: Rules,
  run: (read: Record<string, Read>) => Promise<void>,
) {
  const servers = { desk: fixture("file-resources", [], server) };
  const config = { mcpServers: servers, policy: { rules } };
  await using gateway = await startGateway(servers, { plane: { config: config as never } });
  const { plane, url } = gateway;
  const client = await EraClient.open(url, "legacy");
  await run({
    library: (uri) => plane.resources.read("desk", uri).then(text, text),
    subscription: (uri) => plane.resources.watch("desk", uri).then(text, text),
    http: async (uri) => {
      const query = new URLSearchParams({ uri });
      return (await fetch(`${url.replace("/mcp", "")}/servers/desk/resource?${query}`)).text();
    },
    // The gateway passes on what a server that lists others of the scheme may know.
    gateway: (uri) => client.request("resources/read", { uri }).then(text, text),
  });
}

type Read = (uri: string) => Promise<string>;
const refused = /was not run|is there for you|Resource not found/;
const text = (answer: unknown) =>
  answer instanceof Error ? answer.message : JSON.stringify(answer ?? null);

suite("a resource is the same under every spelling of its address", () => {
  const denials: [string, Rules][] = [
    ["by its name", { rules: [{ tool: "desk.resources/file:///secret*", verdict: "deny" }] }],
    [
      "by its address",
      { rules: [{ server: "desk", arguments: { uri: "file:///secret*" }, verdict: "deny" }] },
    ],
    ["by the filter of its server", { server: { deny_tools: ["resources/file:///secret*"] } }],
  ];
  for (const [how, rules] of denials)
    test(`a rule that denies it ${how} denies all of them, on every face`, () =>
      eachFace(rules, async (faces) => {
        for (const [face, read] of Object.entries(faces)) {
          for (const uri of spelt) assert.match(await read(uri), refused, `${face}: ${uri}`);
          if (face !== "subscription")
            assert.match(await read("file:///public/a"), /for all/, face);
        }
      }));

  test("a rule that allows a directory allows nothing that leads out of it", () =>
    eachFace(
      {
        rules: [
          { tool: "desk.resources/file:///public/*", verdict: "allow" },
          { tool: "desk.resources/*", verdict: "deny" },
        ],
      },
      async (faces) => {
        for (const [face, read] of Object.entries(faces)) {
          for (const uri of spelt) assert.match(await read(uri), refused, `${face}: ${uri}`);
          if (face !== "subscription")
            assert.match(await read("file:///public/a"), /for all/, face);
        }
      },
    ));
});
