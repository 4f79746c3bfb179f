import assert from "node:assert/strict";
import { test } from "node:test";
import { HttpProviderConfig } from "../../model/calls/provider-kinds.ts";
import type { JsonObject } from "../../model/json.ts";
import { prepareRequest } from "./http.ts";

const args = { id: "7/8", q: "a b", tags: ["x", "y"], none: null, deep: { k: 1 } };
const rest = { q: "a b", tags: ["x", "y"], none: null, deep: { k: 1 } };
const at = "https://h.example/items";

type Case = [title: string, config: object, line: string, body: JsonObject | undefined];
const cases: Case[] = [
  [
    "what is left goes into the query of a GET",
    { url: `${at}/{id}?fixed=1` },
    `GET ${at}/7%2F8?fixed=1&q=a+b&tags=x&tags=y&deep=%7B%22k%22%3A1%7D`,
    undefined,
  ],
  ["and into the body of a POST", { url: `${at}/{id}`, method: "POST" }, `POST ${at}/7%2F8`, rest],
  [
    "a query that is named has nothing else",
    { url: at, query: { s: "q" } },
    `GET ${at}?s=a+b`,
    undefined,
  ],
  [
    "query and body can be spelled out",
    { url: at, query: ["q"], body: { key: "id" } },
    `POST ${at}?q=a+b`,
    { key: "7/8" },
  ],
  [
    "a DELETE may have a body that is named",
    { url: at, method: "DELETE", query: [], body: ["q"] },
    `DELETE ${at}`,
    { q: "a b" },
  ],
];

for (const [title, config, line, body] of cases) {
  test(title, () => {
    const request = prepareRequest(HttpProviderConfig.parse(config), args);
    assert.equal(`${request.method} ${request.url}`, line);
    assert.deepEqual(request.body === undefined ? undefined : JSON.parse(request.body), body);
  });
}

test("headers of the configuration replace ours, whatever their capitals", () => {
  const config = HttpProviderConfig.parse({
    url: at,
    headers: { Accept: "text/csv", "X-Key": "k" },
  });
  const { headers } = prepareRequest(config, {});
  assert.deepEqual([headers.accept, headers["x-key"]], ["text/csv", "k"]);
});

for (const id of ["..", "."]) {
  test(`an argument '${id}' cannot lead out of its place`, () => {
    const config = HttpProviderConfig.parse({ url: `${at}/{id}/x` });
    assert.throws(() => prepareRequest(config, { id }), { code: "INVALID_ARGUMENTS" });
  });
}

test("a part of the address that is not given is named", () => {
  const config = HttpProviderConfig.parse({ url: `${at}/{id}` });
  assert.throws(() => prepareRequest(config, {}), /'id' is part of the endpoint's address/);
});

for (const url of [
  "https://{host}/x",
  "https://user:pw@h.example/",
  "ftp://h.example/",
  "h.example",
]) {
  test(`${url} is no address for a provider`, () => {
    assert.equal(HttpProviderConfig.safeParse({ url }).success, false);
  });
}
