import assert from "node:assert/strict";
import { StringDecoder } from "node:string_decoder";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../test/samples/growth.ts";
import { createSseParser } from "./sse-parser.ts";

type Event = { data: string; event: string };

function parse(chunks: readonly string[]): Event[] {
  const events: Event[] = [];
  const feed = createSseParser((data, event) => events.push({ data, event }));
  for (const chunk of chunks) feed(chunk);
  return events;
}

const examples: [title: string, stream: string, events: Event[]][] = [
  ["one line of data is one event", "data: a\n\n", [{ data: "a", event: "message" }]],
  [
    "several lines of data are joined",
    "data: a\ndata: b\n\n",
    [{ data: "a\nb", event: "message" }],
  ],
  [
    "only the first space is taken off",
    "data:  a\n\ndata:b\n\n",
    [
      { data: " a", event: "message" },
      { data: "b", event: "message" },
    ],
  ],
  [
    "an event may have a name, for itself alone",
    "event: endpoint\ndata: /x\n\ndata: y\n\n",
    [
      { data: "/x", event: "endpoint" },
      { data: "y", event: "message" },
    ],
  ],
  [
    "comments and other fields are passed over",
    ": ping\nid: 7\nretry: 5\ndata: a\n\n",
    [{ data: "a", event: "message" }],
  ],
  ["an event without data is none", "event: ping\n\n: \n\n", []],
  ["an event that has not ended is none yet", "data: a\n", []],
  [
    "a mark of the byte order at the beginning is no part of the field",
    "\ufeffdata: a\n\n",
    [{ data: "a", event: "message" }],
  ],
  [
    "a data field without a colon is an empty line",
    "data\ndata: a\n\n",
    [{ data: "\na", event: "message" }],
  ],
];

for (const [title, stream, events] of examples) {
  for (const [name, end] of [
    ["LF", "\n"],
    ["CR LF", "\r\n"],
    ["CR", "\r"],
  ] as const) {
    test(`${title} (${name})`, () => {
      // One more comment: a CR at the very end may still be the first half of a CR LF.
      assert.deepEqual(parse([stream.replaceAll("\n", end), ": more"]), events);
    });
  }
}

const line = fc.oneof(
  fc.constantFrom("", "", "event: x", ": comment", "id: 1"),
  fc.string({ unit: fc.constantFrom(..."a :ß€😀") }).map((text) => `data:${text}`),
);
const stream = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")))
  .map((lines) => lines.map(([text, end]) => text + end).join(""));

test("any chunking of the bytes gives the same events, also where it cuts a character", () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat()), (whole, places) => {
      const bytes = Buffer.from(`${whole}: end`);
      const sorted = [...new Set(places.map((place) => place % bytes.length))].sort(
        (a, b) => a - b,
      );
      const decoder = new StringDecoder("utf8");
      const chunks = [0, ...sorted].map((from, at) =>
        decoder.write(bytes.subarray(from, sorted[at])),
      );
      assert.deepEqual(parse(chunks), parse([`${whole}: end`]));
    }),
    { numRuns: cases(500) },
  );
});

test("data comes out as it went in, whatever the chunks", () => {
  const data = fc.string({ unit: fc.constantFrom(...'a :{}"ß€😀') });
  fc.assert(
    fc.property(fc.array(data, { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (texts, size) => {
      const whole = texts.map((text) => `event: message\r\ndata: ${text}\r\n\r\n`).join("");
      const chunks = whole.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
      assert.deepEqual(
        parse(chunks),
        texts.map((text) => ({ data: text, event: "message" })),
      );
    }),
  );
});

test("a long line in many pieces is not searched again for every piece", () => {
  const piece = "x".repeat(16 * 1024);
  const growth = growthOf((size) => {
    const [event] = parse(["data: ", ...Array<string>(size).fill(piece), "\n\n"]);
    assert.equal(event?.data.length, piece.length * size);
  }, 64);
  assert.ok(growth < maxGrowth, `eight times as much took ${growth} times as long`);
});

test("the place to go on from is reported once its event is whole, and the wait at once", () => {
  const told: string[] = [];
  const feed = createSseParser((data) => told.push(`data ${data}`), {
    onId: (id) => told.push(`id ${id}`),
    onRetry: (retryMs) => told.push(`retry ${retryMs}`),
  });
  feed("id: 1\ndata:\n\nretry: 500\nretry: soon\nid: 2\n\nid: a\0b\ndata: x\n\nid: 3\ndata: y\n");
  assert.deepEqual(told, ["id 1", "data ", "retry 500", "id 2", "data x"]);
});

test("an event above the limit is passed over and told, wherever the chunks end", () => {
  const large = `{"id":7,"text":"${"ä".repeat(3_000)}"}`;
  const whole = `: ${"c".repeat(500)}\nid: 1\ndata: ${"a".repeat(100)}\n\nevent: message\ndata: ${large}\n\ndata: b\n\n`;
  for (const size of [1, 5, 101, 4_000, 100_000]) {
    const told: unknown[] = [];
    const feed = createSseParser((data) => told.push(data.length), {
      limitBytes: 100,
      onTooLarge: ({ head, tail, bytes }) => told.push([head.slice(0, 8), tail.slice(-3), bytes]),
    });
    for (let at = 0; at < whole.length; at += size) feed(whole.slice(at, at + size));
    assert.deepEqual(told, [100, ['{"id":7,', 'ä"}', Buffer.byteLength(large)], 1]);
  }
});

test("an event of many lines above the limit is passed over too", () => {
  const told: unknown[] = [];
  const feed = createSseParser((data) => told.push(data), {
    limitBytes: 10,
    onTooLarge: ({ head, tail }) => told.push([head, tail]),
  });
  feed("data: 1234\ndata: 1234\ndata: 1234\ndata: 1234\n\ndata: next\n\n");
  assert.deepEqual(told, [["1234123412341234", "1234123412341234"], "next"]);
});

test("an event whose lines end in carriage returns is complete without another letter", () => {
  for (const pieces of [["data: a\r\r"], ["data: a\r", "\r"], ["data: a\r", "\n\r", "\n"]]) {
    const events: string[] = [];
    const take = createSseParser((data) => events.push(data));
    for (const piece of pieces) take(piece);
    assert.deepEqual(events, ["a"], JSON.stringify(pieces));
  }
});
