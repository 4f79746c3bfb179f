import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOf, sourceTextOf } from "../lib/json/json-text.ts";
import { noteResultText } from "./result-text.ts";

function noted(text: string): string | undefined {
  const message = JSON.parse(text) as { result: object };
  noteResultText(message, text);
  return sourceTextOf(message.result);
}

test("the result of an answer is found in both orders that servers write", () => {
  const result = '{"content":[{"type":"text","text":"a \\"}\\" \\\\"}], "x": [1, {"y": []}]}';
  assert.equal(noted(`{"jsonrpc":"2.0","id":7,"result":${result}}`), result);
  assert.equal(noted(`{"jsonrpc":"2.0","id":"seven","result":${result}} \r`), result);
  assert.equal(noted(`{"result":${result},"jsonrpc":"2.0","id":7}`), result);
});

test("an answer with anything after its result is written again: it would become a part of ours", () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":1,"result":{"a":1},"id":2}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1},"result":{"b":1}}',
    '{"jsonrpc":"2.0","id":1,"result":{"a":1},"\\u0072esult":{"b":1}}',
    '{"result":{"a":1},"jsonrpc":"2.0","id":1,"result":{"b":1}}',
    '{"result":{"a":1},"id":1,"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0", "id":1, "result":{"a":1}}',
    `{"jsonrpc":"2.0","id":1,"result":{"a":1},"x":"${"y".repeat(300)}"}`,
  ])
    assert.equal(noted(text), undefined, text);
});

test("what is noted is the result, whatever stands in it", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (result) => {
      const text = JSON.stringify(result);
      assert.equal(noted(`{"jsonrpc":"2.0","id":1,"result":${text}}`), text);
      assert.equal(noted(`{"result":${text},"jsonrpc":"2.0","id":1}`), text);
    }),
  );
});

test("numbers that would become others are kept however the answer is written", () => {
  const result = '{ "a": 9007199254740993 }';
  assert.equal(noted(`{"id": 1, "jsonrpc": "2.0",\n "result": ${result}}`), result);
  assert.equal(noted('{"jsonrpc":"2.0","id":1,"result":{"a":\r\n-0}}'), '{"a": -0}');
  const text =
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no","data":{"id":9007199254740993}}}';
  const message = JSON.parse(text) as { error: object };
  noteResultText(message, text);
  assert.equal(JSON.stringify(message), text);
});

function notedBytes(bytes: Buffer): { bytes: Buffer | undefined; text: string | undefined } {
  const text = bytes.toString("utf8");
  const message = JSON.parse(text) as { result: object };
  noteResultText(message, text, bytes);
  return { bytes: bytesOf(message.result), text: sourceTextOf(message.result) };
}

test("of what comes as bytes the bytes of the result are noted, whatever stands around them", () => {
  const id = fc.string({ unit: fc.constantFrom(..."aß€😀"), minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(id, fc.jsonValue(), (named, content) => {
      const result = JSON.stringify({ content, more: "ß€😀" });
      for (const answer of [
        `{"jsonrpc":"2.0","id":"${named}","result":${result}}`,
        `{"result":${result},"jsonrpc":"2.0","id":"${named}"} `,
      ]) {
        const { bytes, text } = notedBytes(Buffer.from(answer));
        assert.deepEqual([bytes?.toString(), text], [result, result]);
      }
    }),
  );
});

test("bytes that are no text, or that would break a line, are passed on as the text they were read as", () => {
  const head = '{"jsonrpc":"2.0","id":1,"result":{"a":';
  const broken = Buffer.concat([Buffer.from(`${head}"`), Buffer.from([0xff]), Buffer.from('"}}')]);
  assert.deepEqual(notedBytes(broken), { bytes: undefined, text: '{"a":"\ufffd"}' });
  assert.deepEqual(notedBytes(Buffer.from(`${head}\n1}}`)), { bytes: undefined, text: '{"a": 1}' });
});
