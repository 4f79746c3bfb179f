import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderContext } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import { principalOf } from "../../model/principal.ts";
import { createBuiltinProvider, createReadResult, readResultManifest } from "./builtin.ts";

const context = {
  signal: new AbortController().signal,
  owner: { user: "ann", conversation: null },
  principal: principalOf({ user: "ann" }),
  onProgress: () => undefined,
} satisfies ProviderContext;
const spec = {
  name: "builtin",
  priority: 100,
  health_check_interval: 300,
  config: { tool: "read_result" },
};

test("a built-in tool runs as its caller, with no other rights", async () => {
  const readers: unknown[] = [];
  const provider = createBuiltinProvider(
    new Map([
      [
        readResultManifest.name,
        createReadResult(async (id, query, reader) => {
          readers.push([id, query, reader.user, reader.scopes]);
          throw new PlaneError("NOT_FOUND", "No such result.");
        }),
      ],
    ]),
  );
  const answer = await provider(spec, { id: "r_1", offset: 3 }, context);
  assert.deepEqual(readers, [["r_1", { offset: 3 }, "ann", ["call"]]]);
  assert.deepEqual(answer, { content: [{ type: "text", text: "No such result." }], isError: true });
  await provider(spec, { id: "r_1" }, { ...context, principal: undefined });
  assert.deepEqual(readers[1], ["r_1", {}, null, []]);
});

test("what is no mistake of the caller is a failure", async () => {
  const failing = createReadResult(async () => {
    throw new PlaneError("STORE_FAILED", "The store is gone.");
  });
  await assert.rejects(failing({ id: "r_1" }, context), { code: "STORE_FAILED" });
});

test("a tool that is not built in is named", async () => {
  const provider = createBuiltinProvider(new Map());
  await assert.rejects(provider(spec, {}, context), {
    code: "NO_PROVIDER",
    message: /no built-in tool 'read_result'/,
  });
});
