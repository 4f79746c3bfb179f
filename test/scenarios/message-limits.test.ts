import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRequest } from "../../src/faces/gateway/request.ts";
import { parseBody } from "../../src/faces/http/body.ts";
import { sourceTextOf } from "../../src/lib/json/json-text.ts";
import { parseMessage as parseAnswer } from "../../src/servers/transports/parse-message.ts";

test("a body that is nested too deeply, or full of long numbers, is refused by name", () => {
  const deep = `{"arguments":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.throws(() => parseBody(deep, "{}"), { code: "USAGE", message: /nested too deeply/ });
  const long = `{"arguments":[${Array(20_000).fill("9007199254740993").join()}]}`;
  assert.throws(() => parseBody(long, "{}"), { code: "USAGE", message: /more than 10000 numbers/ });
});

test("what would hold the loop is refused by name before it is read, on the wire of clients and of servers", () => {
  const names = Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join();
  const values: [value: string, says: RegExp][] = [
    [`{${names}}`, /more than 25000 names/],
    [
      `[${Array.from({ length: 60_000 }, (_, at) => `{"k${at}":1}`).join()}]`,
      /more than 25000 names/,
    ],
    [`[${"1,".repeat(500_000)}1]`, /more than [14]00000 values/],
    [`${"[".repeat(500_000)}${"]".repeat(500_000)}`, /nested too deeply/],
    ["9".repeat(500_000), /a number of more than 1000 digits/],
  ];
  for (const [value, says] of values) {
    const asked = parseRequest(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"a":${value}}}}`,
    );
    assert.match("wrong" in asked ? (asked.wrong ?? "") : "", says);
    const answered = parseAnswer(
      `{"jsonrpc":"2.0","id":7,"result":{"content":[],"_meta":{"a":${value}}}}`,
    );
    const { id, error } = answered as { id: number; error: { message: string } };
    assert.equal(id, 7);
    assert.match(error.message, says);
    assert.throws(() => parseBody(`{"arguments":{"a":${value}}}`, "{}"), {
      code: "USAGE",
      message: says,
    });
  }
  const batch = `[${Array(1_001).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join()}]`;
  const asked = parseRequest(batch);
  assert.match("wrong" in asked ? (asked.wrong ?? "") : "", /1000 messages at most/);
});

test("what a server says in an error or as progress is cut, and its result is not", () => {
  const long = "password=hunter2 ".repeat(10_000);
  const { error } = parseAnswer(
    JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, message: long, data: long } }),
  ) as {
    error: { message: string; data: unknown };
  };
  assert.ok(error.message.length < 40_000);
  assert.ok(JSON.stringify(error.data).length < 40_000);
  const result = { content: [{ type: "text", text: long }] };
  assert.deepEqual(parseAnswer(JSON.stringify({ jsonrpc: "2.0", id: 1, result })), {
    jsonrpc: "2.0",
    id: 1,
    result,
  });
});

test("the arguments of a long message are passed on as they are written, and no others", () => {
  const filler = "x".repeat(100_000);
  const real = `{"a": 1.0,"b":"é${filler}"}`;
  const fake = `{"a":2,"b":"${filler}"}`;
  const asked = parseRequest(
    `{"arguments":${fake},"jsonrpc":"2.0","id":1,"method":"tools/call","x":{"arguments":${fake}},"params":{"name":"a","_meta":{"arguments":${fake}},"arguments":${real}, "more":[]}}`,
  ) as { message: { params: { arguments: object } } };
  assert.equal(sourceTextOf(asked.message.params.arguments), real);
  const body = parseBody(`{"params":{"arguments":${fake}},"arguments" : ${real} ,"x":1}`, "{}");
  assert.equal(sourceTextOf(body.arguments as object)?.trim(), real);
  const answer = (rest: string) => parseAnswer(`{"jsonrpc":"2.0","id":1,"result":${real}${rest}}`);
  assert.equal(sourceTextOf((answer("") as { result: object }).result), real);
  for (const rest of [`,"result":${fake}`, ',"x":"é"', ',"x":[{}]'])
    assert.notEqual(sourceTextOf((answer(rest) as { result: object }).result), `${real}${rest}`);
});
