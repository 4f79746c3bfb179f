import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../../test/samples/calls.ts";
import type { ToolAuth } from "../../model/catalogue/tool.ts";
import type { UnknownObject } from "../../model/json.ts";
import { mergeAuth } from "./mcp.ts";

const oauth = { type: "oauth", scopes: ["read", "write"] };

const cases: [title: string, entry: UnknownObject, server: UnknownObject, merged: ToolAuth][] = [
  ["nothing is said", {}, {}, { required: false }],
  ["the tool says it needs it", { requires_authentication: true }, {}, { required: true }],
  ["the tool says it in its auth", { auth: { required: true } }, {}, { required: true }],
  [
    "the first word of the tool counts",
    { requires_authentication: false, auth: { required: true } },
    {},
    { required: false },
  ],
  [
    "the tool comes before its server",
    { auth: { required: "no" } },
    { auth_required: true },
    { required: false },
  ],
  ["the server says it", {}, { auth_required: true }, { required: true }],
  [
    "scopes mean that it is needed",
    { auth: { scopes: ["a"] } },
    {},
    { required: true, scopes: ["a"] },
  ],
  [
    "unless it is said otherwise",
    { auth: { scopes: ["a"] } },
    { auth_required: false },
    { required: false, scopes: ["a"] },
  ],
  [
    "scopes of both, the tool's first, each once",
    { auth: { scopes: "b read" } },
    { auth: oauth },
    { required: true, type: "oauth", scopes: ["b", "read", "write"] },
  ],
  [
    "the tool's type comes first, by either name",
    { auth: { scheme: "bearer" } },
    { auth: { type: "oauth" } },
    { required: false, type: "bearer" },
  ],
  ["no type is none", {}, { auth: { type: "none" } }, { required: false }],
  [
    "the variables of the configuration are named, and nothing that the tool names",
    { auth: { envs: { HOME: { required: true } }, env: { PATH: "x" } } },
    { auth_env: ["TOKEN"] },
    { required: false, envs: { TOKEN: { required: false } } },
  ],
  [
    "what is said of a variable is kept",
    {},
    { auth_env: { TOKEN: { required: true, docs: "from the vault" }, OTHER: {} } },
    {
      required: false,
      envs: { TOKEN: { required: true, docs: "from the vault" }, OTHER: { required: false } },
    },
  ],
  [
    "what makes no sense says nothing",
    { requires_authentication: "perhaps", auth: { scopes: [7, " "], type: 3 } },
    {},
    { required: false },
  ],
];

for (const [title, entry, server, merged] of cases) {
  test(`signing in for a listed tool: ${title}`, () => {
    assert.deepEqual(mergeAuth(entry, sampleServer(server)), merged);
  });
}
