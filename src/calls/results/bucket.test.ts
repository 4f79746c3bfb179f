import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { openBucket } from "../../../packages/s3/src/s3.ts";
import { moveClocks } from "../../../test/samples/mocked-time.ts";
import { createBucket } from "./bucket.ts";

process.env.AWS_ACCESS_KEY_ID ??= "a";
process.env.AWS_SECRET_ACCESS_KEY ??= "b";

type Answer = (response: ServerResponse) => void;
const hang: Answer = () => undefined;
const content: Answer = (response) => void response.end("content");

/** A bucket whose store gives the answer that the test sets. */
async function startBucket(context: TestContext) {
  const store = { answer: hang, asked: [] as string[] };
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    request.resume();
    store.asked.push(request.method ?? "");
    for (const asked of waiting.splice(0)) asked();
    store.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const bucket = createBucket({
    packages: { s3: async () => ({ openBucket }) },
    address: `s3://results?region=eu&endpoint=http://127.0.0.1:${port}`,
    vaultKey: async () => undefined,
  });
  context.after(() => {
    bucket.close();
    server.closeAllConnections();
    server.close();
  });
  const warned = context.mock.method(process, "emitWarning", () => undefined);
  return {
    bucket,
    store,
    asked: () => new Promise<void>((resolve) => waiting.push(resolve)),
    warnings: () => warned.mock.calls.map(({ arguments: [text] }) => String(text)),
  };
}

test("a bucket that hangs delays no caller after the first: what it does not take is kept in the store, and the bucket rests", async (context) => {
  const deadline = new AbortController();
  context.mock.method(AbortSignal, "timeout", () => deadline.signal);
  const { bucket, store, asked, warnings } = await startBucket(context);
  const reached = asked();
  const put = bucket.put("r_1", Buffer.from("x"));
  await reached;
  deadline.abort(new DOMException("", "TimeoutError"));
  assert.equal(await put, false);
  assert.equal(await bucket.put("r_2", Buffer.from("y")), false);
  await assert.rejects(bucket.get("r_1", 9), {
    code: "STORE_FAILED",
    message: /does not answer in time; it is asked again in 5 s\. Try again\.$/,
  });
  assert.deepEqual(store.asked, ["PUT"]);
  assert.match(warnings().join(), /^Large results are in the store for now: .*not answer in time/);
});

test("a bucket that is back is used again after its rest, and one object that is not there is no failure", async (context) => {
  const { bucket, store } = await startBucket(context);
  store.answer = (response) => void response.writeHead(503, { "retry-after": "1" }).end();
  assert.equal(await bucket.put("r_1", Buffer.from("x")), false);
  const requests = store.asked.length;
  moveClocks(context, Date.now());
  assert.equal(await bucket.put("r_1", Buffer.from("x")), false);
  assert.equal(store.asked.length, requests);
  // It rests for five seconds; the mocked clock may be a little behind the real one.
  context.mock.timers.tick(7_000);
  store.answer = (response) =>
    void response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>");
  assert.equal(await bucket.get("r_1", 9), null);
  store.answer = content;
  assert.equal(await bucket.put("r_1", Buffer.from("x")), true);
});

test("closing ends a request that hangs", async (context) => {
  const { bucket, asked } = await startBucket(context);
  const reached = asked();
  const put = bucket.put("r_1", Buffer.from("x"));
  await reached;
  bucket.close();
  assert.equal(await put, false);
});

test("a read whose content stops coming ends when the bucket is closed", async (context) => {
  const { bucket, store, asked } = await startBucket(context);
  store.answer = (response) =>
    void response.writeHead(200, { "content-length": "9" }).write("part");
  const reached = asked();
  const get = bucket.get("r_1", 9);
  get.catch(() => undefined);
  await reached;
  bucket.close();
  await assert.rejects(get, { code: "STORE_FAILED", message: /the plane is stopping/ });
});
