import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerDefinition } from "../model/servers/server.ts";
import type { Server } from "./server.ts";
import { createServerDirectory } from "./server-directory.ts";

const definitionOf = (command: string) => ServerDefinition.parse({ command, transport: "stdio" });

test("a changed server is found while the one before it is still stopping, and waits for it", async () => {
  const stopping = Promise.withResolvers<void>();
  const waiting: string[] = [];
  const directory = createServerDirectory({
    definitions: { slow: definitionOf("old"), quick: definitionOf("old") },
    broken: {},
    onRemoved: () => undefined,
    listed: () => ({ tools: 0, rejected: [] }),
    create: (name, definition, after) => {
      if (after) void after.then(() => waiting.push(name));
      const stop = () => (name === "slow" ? stopping.promise : Promise.resolve());
      return { definition, stop } as Server;
    },
  });
  const wanted = {
    slow: definitionOf("new"),
    quick: definitionOf("new"),
    added: definitionOf("new"),
  };
  const applied = directory.apply({ definitions: wanted, broken: {} });
  for (const name of Object.keys(wanted))
    assert.equal(directory.find(name).definition.command, "new");
  await new Promise(setImmediate);
  assert.deepEqual(waiting, ["quick"]);
  stopping.resolve();
  assert.deepEqual((await applied).changed, ["slow", "quick"]);
  assert.deepEqual(waiting, ["quick", "slow"]);
});
