import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderSpec } from "../../model/catalogue/tool.ts";
import type { JsonObject } from "../../model/json.ts";
import { createProviderKinds } from "./providers.ts";

const spec: ProviderSpec = {
  name: "queue",
  priority: 0,
  health_check_interval: 300,
  config: { topic: "${T}" },
};
const context = {
  signal: new AbortController().signal,
  owner: { user: null, conversation: null },
  onProgress() {},
};

function kindsWith() {
  const reveal = async () => ({ topic: "revealed" });
  return createProviderKinds(new Map([["http", async () => "ours"]]), reveal);
}

function run(kinds: ReturnType<typeof kindsWith>, args: JsonObject = {}) {
  const provider = kinds.providerOf("queue");
  assert.ok(provider, "there is no such kind");
  return provider(spec, args, context);
}

test("a kind that was added executes with its secrets in place, and any value is a result", async () => {
  const kinds = kindsWith();
  kinds.register("queue", ({ config }, args) => ({ sent: [config.topic ?? null, args.n ?? null] }));
  assert.deepEqual(await run(kinds, { n: 1 }), {
    content: [{ type: "text", text: '{"sent":["revealed",1]}' }],
    structuredContent: { sent: ["revealed", 1] },
  });
  assert.deepEqual(kinds.kinds(), ["http", "queue"]);
});

test("it is there until it is taken back, once", () => {
  const kinds = kindsWith();
  const unregister = kinds.register("queue", () => null);
  assert.deepEqual(
    [unregister(), unregister(), kinds.providerOf("queue")],
    [true, false, undefined],
  );
});

test("for a while another can take its place", async () => {
  const kinds = kindsWith();
  kinds.register("queue", () => "for long");
  const said = async () => (await run(kinds)) as { structuredContent: unknown };
  {
    using _ = kinds.register("queue", () => "for a while");
    assert.equal((await said()).structuredContent, "for a while");
  }
  assert.equal((await said()).structuredContent, "for long");
});

test("a factory makes one for each place where it is declared, and again after it could not", async () => {
  const kinds = kindsWith();
  let made = 0;
  kinds.register("queue", {
    create({ config }) {
      made += 1;
      if (made === 1) throw new Error("not yet");
      return () => `${config.topic} ${made}`;
    },
  });
  await assert.rejects(run(kinds), { code: "PROVIDER_FAILED", message: /'queue' failed: not yet/ });
  for (let call = 0; call < 3; call++) {
    assert.equal(
      ((await run(kinds)) as { structuredContent: unknown }).structuredContent,
      "revealed 2",
    );
  }
  assert.equal(made, 2);
});

test("what it throws is its failure", async () => {
  const kinds = kindsWith();
  kinds.register("queue", () => {
    throw new Error("full");
  });
  await assert.rejects(run(kinds), {
    code: "PROVIDER_FAILED",
    message: "The provider 'queue' failed: full",
  });
});

test("it is asked whether it is there where it can be asked", async () => {
  const kinds = kindsWith();
  const { signal } = context;
  assert.equal(kinds.check(spec, signal), null);
  using first = kinds.register("queue", () => null, {
    check({ config }) {
      throw new Error(`no queue at ${config.topic}`);
    },
  });
  await assert.rejects(kinds.check(spec, signal) ?? assert.fail(), {
    message: /no queue at revealed/,
  });
  kinds.register("queue", () => null, { check: async () => "fine" });
  assert.equal(await kinds.check(spec, signal), undefined);
  assert.equal(first(), true);
});

test("ours cannot be replaced, and what is none is refused", () => {
  const kinds = kindsWith();
  assert.throws(() => kinds.register("http", () => null), {
    code: "USAGE",
    message: /one of ours/,
  });
  assert.throws(() => kinds.register(" ", () => null), { code: "USAGE" });
  for (const wrong of [null, 7, {}, "run"]) {
    assert.throws(() => kinds.register("queue", wrong as never), {
      code: "USAGE",
      message: /'create'/,
    });
  }
});
