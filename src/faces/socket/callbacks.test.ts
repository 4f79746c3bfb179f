import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { firstLineOf } from "./callbacks.ts";

test("a hundred thousand empty lines are one line that says nothing, and what follows is left to be read", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect(port, "127.0.0.1");
  client.end("\n".repeat(100_000));
  const [socket] = await accepted;
  assert.equal(await firstLineOf(socket), null);
  let left = 0;
  for await (const chunk of socket) left += (chunk as Buffer).length;
  assert.equal(left, 99_999);
  server.close();
});
