import assert from "node:assert/strict";
import { after, test } from "node:test";
import { scaledMs } from "@toolplane/test/fixtures/patience";
import { isWholeTier } from "@toolplane/test/fixtures/tier";
import { createSandbox, type ProgramResult, type SandboxLimits } from "./sandbox.ts";

const sandbox = createSandbox();
after(() => sandbox.close());

const limits: SandboxLimits = { memoryBytes: 16 * 1024 * 1024, cpuMs: 300, calls: 20 };
/** What should end has the time for it on a slow machine. */
const patient: SandboxLimits = { ...limits, cpuMs: 20_000 };

/** Programs that run into a limit take as long as it allows; in `npm test` the first ones stand for the others. */
const some = (programs: readonly string[]) => (isWholeTier ? programs : programs.slice(0, 2));

type Given = Partial<Parameters<typeof sandbox.run>[0]> & { logs?: string[] };

function run(source: string, { logs = [], ...given }: Given = {}): Promise<ProgramResult> {
  return sandbox.run({
    source,
    seeds: [1, 2, 3, 4],
    startedAt: 1_800_000_000_000,
    limits,
    store: "{}",
    owner: "ann",
    signal: new AbortController().signal,
    request: async (_, json) => JSON.stringify({ value: JSON.parse(json) }),
    log: (_, text) => void logs.push(text),
    names: (json) =>
      JSON.stringify(
        json === "[]" ? ["demo", "files"] : json === '["demo"]' ? ["add", "greet"] : [],
      ),
    ...given,
  });
}

async function returned(source: string, given?: Given): Promise<unknown> {
  const result = await run(source, { limits: patient, ...given });
  assert.ok(result.ok, JSON.stringify(result));
  return JSON.parse(result.json);
}

async function errorOf(source: string, given?: Given) {
  const result = await run(source, given);
  assert.ok(!result.ok, "it failed");
  return result;
}

/** What would be there if a program had left the sandbox. */
const isHost = `(g) => [g?.process?.pid, g?.process?.version, g?.Buffer?.poolSize, g?.WebAssembly?.Memory?.name, g?.fetch?.name,
  g?.setImmediate?.name, g?.require?.name].filter((found) => typeof found === "string" || typeof found === "number")`;

test("nothing of the host is in reach, by whatever way a program looks for it", async () => {
  const ways = [
    "globalThis",
    'Function("return this")()',
    '(0, eval)("this")',
    'tools.constructor?.constructor?.("return this")',
    'console.log.constructor("return this")()',
    'Object.getPrototypeOf(async () => {}).constructor("return this")()',
    "search.__proto__?.constructor('return this')()",
    '(await tools.a.b({})).constructor.constructor("return this")()',
    "[].constructor.constructor('return this')()",
    "(() => { try { null.x } catch (e) { return e.constructor.constructor('return this')() } })()",
    "Object.getPrototypeOf(Object.getPrototypeOf(tools.x ?? {})  ?? {})",
    "Reflect.get(tools, 'constructor')",
    "new Proxy(tools, {})",
    "sleep.caller",
    "new Error().stack.constructor.constructor('return this')()",
  ];
  for (const way of ways) {
    const result = await run(
      `let found = []; try { found = (${isHost})(await (${way})); } catch {} return found;`,
    );
    assert.deepEqual(result.ok ? JSON.parse(result.json) : [], [], way);
  }
});

test("a stack names no file of the host", async () => {
  const stacks = await returned(`
    const stacks = [];
    try { null.x } catch (e) { stacks.push(e.stack) }
    try { await tools.a.b(() => {}) } catch (e) { stacks.push(e.stack) }
    Error.prepareStackTrace = (_, frames) => frames;
    stacks.push(String(new Error().stack));
    return stacks.join("\\n");`);
  assert.doesNotMatch(String(stacks), /file:|node:|\/src\/|node_modules|sandbox-worker/);
});

test("imports of any kind are refused", async () => {
  for (const source of [
    'await import("node:fs")',
    'import fs from "node:fs"',
    'require("fs")',
    "import.meta.url",
  ])
    assert.equal((await errorOf(source)).end, "threw", source);
});

test("a loop without an end is stopped, and so is one that comes back in every promise", async () => {
  for (const source of some([
    "for (;;) {}",
    "const again = () => Promise.resolve().then(again); await again();",
    "async function* all() { for (;;) yield 1 } for await (const _ of all()) ;",
    "for (;;) try { for (;;) ; } catch {} finally { continue }",
    "while (true) await null;",
  ]))
    assert.equal((await errorOf(source)).end, "cpuTime", source);
});

test("a pattern that takes for ever is stopped", { timeout: scaledMs(30_000) }, async () => {
  const { end } = await errorOf('return /^(a+)+$/.test("a".repeat(40) + "b")');
  assert.match(end, /^(cpuTime|threw)$/);
});

test("memory has an end, and the sandbox works on afterwards", {
  timeout: scaledMs(60_000),
}, async () => {
  for (const source of some([
    'const all = []; for (;;) all.push(new Array(10_000).fill("x"));',
    'let text = "x"; for (;;) text += text;',
    'return "x".repeat(2 ** 30).length',
    "return new Uint8Array(2 ** 31).length",
    "const all = []; for (;;) all.push(Promise.resolve());",
    "const keep = new Map(); for (let i = 0; ; i++) keep.set({}, { i });",
    'return JSON.stringify(Array.from({ length: 1e6 }, () => "x".repeat(100))).length',
  ])) {
    assert.ok(["threw", "cpuTime", "idle", "broken"].includes((await errorOf(source)).end), source);
    assert.equal(await returned("return 1"), 1);
  }
});

test("recursion has an end", async () => {
  for (const source of some([
    "const f = () => f(); f()",
    "let deep = []; for (let i = 0; i < 1e5; i++) deep = [deep]; return JSON.stringify(deep)",
    'JSON.parse("[".repeat(1e6))',
    "const o = { toJSON() { return { o } } }; return o",
    "const self = {}; self.self = self; return self",
  ]))
    assert.notEqual((await run(source)).ok, true, source);
  assert.equal(await returned("return 1"), 1);
});

test("results are plain data, whatever their keys are", async () => {
  const answer =
    '{"value":{"__proto__":{"polluted":1},"constructor":{"prototype":{"bad":1}},"then":"no","get a":1}}';
  const source = `
    const result = await tools.a.b({});
    return [({}).polluted, ({}).bad, Object.keys(result), Object.getOwnPropertyDescriptor(result, "then").value];`;
  const value = await returned(source, { request: async () => answer });
  assert.deepEqual(value, [null, null, ["__proto__", "constructor", "then", "get a"], "no"]);
  const kept = await run('return JSON.parse(\'{"__proto__":{"isAdmin":true}}\')');
  assert.ok(kept.ok);
  JSON.parse(kept.json);
  assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
});

test("what a program does to its built-ins, or to the bridge, harms only itself", async () => {
  const asked: string[] = [];
  const request = async (kind: string, json: string) => {
    asked.push(`${kind} ${json}`);
    return '{"value":42}';
  };
  for (const source of [
    "JSON.parse = () => ({ value: 0 }); JSON.stringify = () => 'x'; return await tools.a.b({ q: 1 })",
    "Promise.prototype.then = () => { throw 1 }; return await tools.a.b({ q: 1 })",
    "Object.prototype.toJSON = undefined; Object.prototype.error = undefined; return await tools.a.b({ q: 1 })",
    "Array.prototype[Symbol.iterator] = null; return await tools.a.b({ q: 1 })",
    "class P extends Promise { static get [Symbol.species]() { throw 1 } } return await tools.a.b({ q: 1 })",
    "Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } }); return await tools.a.b({ q: 1 })",
    "try { tools.a = 1; delete tools.a; tools = 1 } catch {} return await tools.a.b({ q: 1 })",
    "Function.prototype.apply = Function.prototype.call = null; Reflect.apply = null; return await tools.a.b({ q: 1 })",
  ]) {
    const result = await run(source, { request });
    if (result.ok) assert.equal(result.json, "42", source);
  }
  for (const line of asked) assert.equal(line, 'call {"path":["a","b"],"arguments":{"q":1}}');
  const odd = await run("Object.prototype.toJSON = () => undefined; return await tools.a.b({})", {
    request,
  });
  assert.ok(odd.ok || odd.end !== "broken");
});

test("thenables and getters run inside, under the same limits", async () => {
  assert.equal(await returned("return { then(done) { done(7) } }"), 7);
  assert.equal((await errorOf("return { get a() { for (;;) ; } }")).end, "cpuTime");
  assert.equal((await errorOf("return { then() { for (;;) ; } }")).end, "cpuTime");
  assert.equal(
    (await errorOf("return { toJSON() { throw new Error('no') } }")).error.message,
    "no",
  );
  assert.equal((await errorOf("return await { then() {} }")).end, "idle");
  assert.equal(
    (await errorOf("throw { get message() { throw 1 }, get stack() { throw 1 } }")).end,
    "threw",
  );
  assert.equal((await errorOf("throw null")).error.message, "null");
});

test("a flood of calls, logs and timers does not reach the host", async () => {
  let asked = 0;
  const logs: string[] = [];
  const times = isWholeTier ? 5 : 1;
  const request = async () => {
    asked += 1;
    return '{"value":1}';
  };
  await run(`for (let i = 0; i < ${times * 1_000}; i++) tools.a.b({}); return 1`, { request });
  assert.ok(asked <= limits.calls + 100, `${asked} requests`);
  await run(
    `for (let i = 0; i < ${times * 10_000}; i++) console.log(""); console.log("x".repeat(1e6));`,
    { logs },
  );
  assert.ok(logs.length <= 1_000 && logs.join("").length <= 100_000, `${logs.length} lines`);
  const slept = await run(`for (let i = 0; i < ${times * 4_000}; i++) sleep(1e9); return 1`);
  assert.ok(slept.ok || slept.end !== "broken");
  const large = await run(
    'try { await tools.a.b("x".repeat(5e6)) } catch (e) { return e.code } return "sent"',
    {
      request,
    },
  );
  assert.ok(large.ok || large.end !== "broken", JSON.stringify(large));
});

test("an answer that comes too late does not reach the next program of the worker", async () => {
  const late = Promise.withResolvers<string>();
  const first = await run("tools.a.b({}); throw new Error('done')", {
    request: () => late.promise,
    owner: "eve",
  });
  assert.equal(first.ok, false);
  const second = run(
    "return await Promise.race([tools.c.d({}), sleep(50).then(() => 'nothing')])",
    {
      request: () => new Promise(() => undefined),
    },
  );
  late.resolve('{"value":"secret of another"}');
  const result = await second;
  assert.ok(result.ok);
  assert.equal(result.json, '"nothing"');
});

test("no program finds what another left behind", async () => {
  await run(
    "globalThis.left = 1; Object.prototype.left = 1; Array.prototype.push = null; store.set('left', 1)",
  );
  assert.deepEqual(
    await returned("return [globalThis.left, ({}).left, [].push.name, store.get('left')]"),
    [null, null, "push", null],
  );
});

test("the same program takes the same way: time stands still and chance repeats", async () => {
  const source =
    "await sleep(5); return [Date.now(), new Date().toISOString(), Math.random(), Math.random(), performance.now(), crypto.randomUUID()]";
  const first = await returned(source);
  assert.deepEqual(await returned(source), first);
  assert.deepEqual((first as unknown[])[0], 1_800_000_000_005);
  assert.equal((first as unknown[])[4], 5);
  assert.match(
    String((first as unknown[])[5]),
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  );
  assert.notDeepEqual(
    ((await returned(source, { seeds: [4, 3, 2, 1] })) as unknown[]).slice(2),
    (first as unknown[]).slice(2),
  );
});

test("types are removed, and an error names the author's line", async () => {
  assert.equal(
    await returned(
      "type A = { n: number };\nconst a: A = { n: 1 };\nreturn (a as A).n satisfies number;",
    ),
    1,
  );
  const { error } = await errorOf(
    "type A = string;\nconst a: A | null = null;\n\nreturn a!.length;",
  );
  assert.deepEqual([error.line, error.text], [4, "return a!.length;"]);
  const syntax = await errorOf("const a = 1;\nreturn a +;\n");
  assert.deepEqual([syntax.error.name, syntax.error.line], ["SyntaxError", 2]);
  const failing = {
    request: async () => '{"error":{"code":"TOOL_ERROR","tool":"a.b","message":"no","content":[]}}',
  };
  const called = await errorOf("const one = 1;\nawait tools.a.b({ one });", failing);
  assert.deepEqual(
    [called.error.line, called.error.code, called.error.tool],
    [2, "TOOL_ERROR", "a.b"],
  );
  assert.equal(
    await returned(
      "try { await tools.a.b() } catch (e) { return e instanceof ToolError && e.code }",
      failing,
    ),
    "TOOL_ERROR",
  );
});

test("a caller has some of the workers, not all", async () => {
  const held = Promise.withResolvers<string>();
  const request = () => held.promise;
  const eve = Array.from({ length: 12 }, () =>
    run("return await tools.a.b({})", { owner: "eve", request, limits: patient }),
  );
  assert.equal(await returned("return 1", { owner: "bob" }), 1);
  held.resolve('{"value":1}');
  for (const result of await Promise.all(eve)) assert.ok(result.ok);
});

test("a run that is cancelled ends at once, also while it waits for a worker", async () => {
  const cancel = new AbortController();
  const running = Array.from({ length: 6 }, () =>
    run("await sleep(60000)", { signal: cancel.signal, owner: "kim" }),
  );
  cancel.abort();
  for (const result of await Promise.all(running))
    assert.equal(!result.ok && result.end, "aborted");
  assert.equal(await returned("return 1", { owner: "kim" }), 1);
});

test("store keeps small values", async () => {
  const result = await run(
    "store.set('a', { n: 1 }); store.set('b', 2); store.delete('b'); return store.keys()",
  );
  assert.ok(result.ok);
  assert.deepEqual([result.json, result.store], ['["a"]', '{"a":{"n":1}}']);
  assert.match((await errorOf("store.set('a', 'x'.repeat(100000))")).error.message, /64 KB/);
  assert.deepEqual(await returned("return store.get('a')", { store: '{"a":[1]}' }), [1]);
});
