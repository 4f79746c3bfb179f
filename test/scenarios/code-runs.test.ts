import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Plane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "./support.ts";

type Made = { name: string; args: Record<string, unknown> };

/** A plane whose tools are functions of the test, and what was called. */
async function world({
  config = {},
  ...options
}: {
  config?: object;
  dataDirectory?: string;
} = {}) {
  const made: Made[] = [];
  const plane = await createPlane({ config: { mcpServers: {}, ...config }, ...options });
  const add = (
    name: string,
    effects: "none" | "write",
    run: (args: Record<string, unknown>) => unknown,
  ) =>
    plane.tools.register({
      manifest: { name, description: `Does ${name}.`, side_effects: effects },
      run(args: Record<string, unknown>) {
        made.push({ name, args });
        return run(args);
      },
    } as never);
  add("look", "none", ({ at }) => ({ at, size: 3 }));
  add("say", "none", ({ text }) => ({ content: [{ type: "text", text }] }));
  add("nap", "none", () => new Promise((wake) => setTimeout(wake, 60, "slept")));
  add("fail", "none", () => ({
    content: [{ type: "text", text: "no such thing" }],
    isError: true,
  }));
  add("put-note", "write", ({ key }) => ({ stored: key }));
  return {
    plane,
    made,
    names: () => made.map(({ name }) => name),
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}

const asks = { config: { policy: { rules: [{ tool: "put-note", verdict: "ask" }] } } };
const writing = `
  const seen = await tools.look({ at: 1 });
  console.log("looked at", seen.at);
  const put = await tools.put_note({ key: "k" + Math.random() });
  const again = await tools.look({ at: 1 });
  return [seen.size, put.stored, again.at];`;

const approve = (plane: Plane, id: string | undefined) =>
  plane.approvals.answer(String(id), { decision: "approve" });

suite("programs", { concurrency: 4 }, () => {
  test("a program gets values, its calls are recorded under its run, and the run is kept", async () => {
    await using given = await world();
    const { plane } = given;
    const source = `
      const all = await Promise.all([1, 2, 3].map((at) => tools.look({ at })));
      console.log("seen", all.length); console.warn("careful");
      return { sum: all.reduce((sum, { at }) => sum + at, 0), text: await tools.say({ text: "[1,2]" }), id: await tools.say({ text: "007" }) };`;
    const outcome = await plane.code.run(source);
    assert.deepEqual(outcome.error, null);
    assert.deepEqual(outcome.value, { sum: 6, text: [1, 2], id: "007" });
    assert.deepEqual(outcome.logs, ["seen 3", "warn: careful"]);
    assert.deepEqual(
      outcome.calls.map(({ tool, status }) => [tool, status]),
      [...Array(3).fill(["look", "succeeded"]), ...Array(2).fill(["say", "succeeded"])],
    );
    const recorded = await plane.calls.list({ run: outcome.run });
    assert.equal(recorded.length, 6);
    assert.ok(recorded.some(({ tool }) => tool === "run_code"));
    const kept = await plane.runs.get(outcome.run);
    assert.deepEqual([kept.style, kept.question, kept.outcome], ["code", source, "completed"]);
    assert.deepEqual(
      kept.steps[0]?.calls.map(({ record }) => record),
      outcome.calls.map(({ id }) => id),
    );
  });

  test("a tool that says no throws a ToolError with its content, and uncaught it names the line", async () => {
    await using given = await world();
    const caught = await given.plane.code.run(
      "try { await tools.fail({}) } catch (error) { return [error instanceof ToolError, error.code, error.message, error.content] }",
    );
    assert.deepEqual(caught.value, [
      true,
      "TOOL_ERROR",
      "no such thing",
      [{ type: "text", text: "no such thing" }],
    ]);
    const { ok, error } = await given.plane.code.run("const a = 1;\nawait tools.fail({ a });");
    assert.deepEqual(
      [ok, error?.code, error?.line, error?.text],
      [false, "TOOL_ERROR", 2, "await tools.fail({ a });"],
    );
  });

  test("a name that no tool has is answered with the nearest", async () => {
    await using given = await world();
    const { error } = await given.plane.code.run("await tools.loook({})");
    assert.equal(error?.code, "TOOL_NOT_FOUND");
    assert.match(error?.message ?? "", /Did you mean tools\.look\?/);
  });

  test("a person is asked where they are, and the program waits", async () => {
    await using given = await world(asks);
    await given.plane.code.run("return 1");
    const outcome = await given.plane.code.run(writing, {
      timeoutMs: 4_000,
      askHere: () => new Promise((answer) => setTimeout(answer, 4_500, { decision: "approve" })),
    });
    assert.deepEqual(outcome.error, null);
    assert.deepEqual(given.names(), ["look", "put-note", "look"]);
  });

  test("where no person can be asked the run ends, and goes on without repeating a call", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.file("data");
    let run = "";
    {
      await using given = await world({ ...asks, dataDirectory });
      const waiting = await given.plane.code.run(writing);
      assert.deepEqual(
        [waiting.ok, waiting.error?.code, waiting.waiting?.length],
        [false, "APPROVAL_REQUIRED", 1],
      );
      assert.deepEqual(given.names(), ["look"]);
      run = waiting.run;
      const still = await given.plane.code.run("", { resume: run });
      assert.deepEqual(
        [still.error?.code, still.waiting?.[0]?.id],
        ["APPROVAL_REQUIRED", waiting.waiting?.[0]?.id],
      );
      assert.deepEqual(given.names(), ["look"]);
      await approve(given.plane, waiting.waiting?.[0]?.id);
      assert.deepEqual(given.names(), ["look", "put-note"]);
    }
    // After a restart.
    await using given = await world({ ...asks, dataDirectory });
    const ended = await given.plane.code.run("", { resume: run });
    assert.deepEqual(ended.error, null);
    assert.deepEqual(given.names(), ["look"], "only what comes after the approval");
    const [size, stored, at] = ended.value as [number, string, number];
    assert.match(stored, /^k0\.\d+/);
    assert.deepEqual([size, at], [3, 1]);
    assert.deepEqual(
      ended.calls.map(({ replayed }) => replayed ?? false),
      [true, true, false],
    );
    await assert.rejects(given.plane.code.run("", { resume: run }), { code: "NOT_FOUND" });
  });

  test("all that waits is asked about at once, and a no is an error that the program can catch", async () => {
    await using given = await world(asks);
    const source = `
      const all = await Promise.allSettled(["a", "b"].map((key) => tools.put_note({ key })));
      return all.map((one) => one.value?.stored ?? one.reason.code);`;
    const waiting = await given.plane.code.run(source);
    assert.equal(waiting.waiting?.length, 2);
    for (const { id } of waiting.waiting ?? []) {
      const { arguments: args } = await given.plane.approvals.get(id);
      await given.plane.approvals.answer(id, {
        decision: args.key === "a" ? "approve" : "reject",
        reason: "not that",
      });
    }
    const ended = await given.plane.code.run("", { resume: waiting.run });
    assert.deepEqual(ended.value, ["a", "APPROVAL_DENIED"]);
    assert.deepEqual(given.names(), ["put-note"]);
  });

  test("in plan mode writes are queued, and the program goes on once the plan is approved", async () => {
    await using given = await world();
    const queued = await given.plane.code.run(writing, { mode: "plan" });
    assert.equal(queued.error?.code, "PLAN_QUEUED");
    const plan = String(queued.waiting?.[0]?.plan);
    await given.plane.plans.approve(plan);
    const ended = await given.plane.code.run("", { resume: queued.run, mode: "plan" });
    assert.deepEqual(ended.error, null);
    assert.deepEqual(given.names(), ["look", "put-note", "look"]);
  });

  test("a run that only reads refuses a write before its first call, and one that it makes up when it is called", async () => {
    await using given = await world();
    const refused = await given.plane.code.run(writing, { readOnly: true });
    assert.deepEqual([refused.error?.code, refused.error?.line], ["FORBIDDEN", 4]);
    assert.deepEqual(given.names(), []);
    const hidden = await given.plane.code.run(
      'await tools.look({}); return tools["put" + "-note"]({ key: 1 })',
      {
        readOnly: true,
      },
    );
    assert.equal(hidden.ok, false);
    assert.deepEqual(given.names(), ["look"]);
    const mentioned = await given.plane.code.run(
      '// tools.put_note()\nreturn (await tools.look({ at: "tools.put_note()" })).size',
      { readOnly: true },
    );
    assert.deepEqual([mentioned.error, mentioned.value], [null, 3]);
  });

  test("one caller's run, values and approvals are not another's", async () => {
    await using given = await world(asks);
    const [ann, bob] = ["ann", "bob"].map((user) => principalOf({ user })) as [never, never];
    const conversation = "c1";
    const kept = "store.set('mine', 1); return store.keys()";
    assert.deepEqual((await given.plane.code.run(kept, { principal: ann, conversation })).value, [
      "mine",
    ]);
    assert.deepEqual(
      (await given.plane.code.run("return store.keys()", { principal: ann, conversation })).value,
      ["mine"],
    );
    assert.deepEqual(
      (await given.plane.code.run("return store.keys()", { principal: bob, conversation })).value,
      [],
    );
    assert.deepEqual(
      (await given.plane.code.run("return store.keys()", { principal: ann })).value,
      [],
    );
    const waiting = await given.plane.code.run(writing, { principal: ann });
    assert.equal(waiting.error?.code, "APPROVAL_REQUIRED");
    await assert.rejects(given.plane.code.run("", { principal: bob, resume: waiting.run }), {
      code: "NOT_FOUND",
    });
    const denied = await given.plane.code
      .run("return 1", { principal: principalOf({ user: "eve", scopes: ["read"] }) })
      .catch(({ code }) => code);
    assert.equal(denied, "FORBIDDEN");
  });

  test("budgets, limits of calls and time hold inside", async () => {
    await using given = await world({ config: { budgets: { maxToolDurationMs: 50 } } });
    const spent = await given.plane.code.run("for (let i = 0; i < 3; i++) await tools.nap({ i })", {
      conversation: "c",
    });
    assert.equal(spent.error?.code, "BUDGET_EXCEEDED");
    assert.deepEqual(
      spent.calls.map(({ status }) => status),
      ["succeeded", "refused"],
    );
    const many = await given.plane.code.run(`
      let done = 0;
      try { for (;;) { await tools.look({}); done++ } } catch (error) { return [done, error.code] }`);
    assert.deepEqual(many.value, [200, "BUDGET_EXCEEDED"]);
    const slow = await given.plane.code.run("await sleep(60000)", { timeoutMs: 100 });
    assert.equal(slow.error?.code, "TIMEOUT");
  });

  test("a cancelled run cancels its calls", async () => {
    await using given = await world();
    const begun = Promise.withResolvers<AbortSignal>();
    given.plane.tools.register({
      manifest: { name: "hang", description: "Hangs.", side_effects: "none" },
      run: (_, { signal }) => {
        begun.resolve(signal as AbortSignal);
        return new Promise(() => undefined);
      },
    });
    const cancel = new AbortController();
    const running = given.plane.code.run("await tools.hang({})", {
      signal: cancel.signal as never,
    });
    const signal = await begun.promise;
    cancel.abort();
    const { error } = await running;
    assert.equal(error?.code, "CANCELLED");
    assert.equal(signal.aborted, true);
  });

  test("the plane answers while a program does its worst", async () => {
    await using given = await world();
    const running = given.plane.code.run("for (;;) {}");
    let isOver = false;
    void running.then(() => (isOver = true));
    for (let at = 0; at < 20; at += 1)
      assert.equal((await given.plane.call("look", { at })).ok, true);
    assert.equal(isOver, false);
    assert.equal((await running).error?.code, "TIMEOUT");
  });

  test("what is no program, or too large a value, is refused with the remedy", async () => {
    await using given = await world();
    await assert.rejects(given.plane.code.run("  "), { code: "USAGE" });
    await assert.rejects(given.plane.code.run("x".repeat(300_000)), { code: "PAYLOAD_TOO_LARGE" });
    const large = await given.plane.code.run('return "x".repeat(9 * 1024 * 1024)');
    assert.equal(large.error?.code, "PAYLOAD_TOO_LARGE");
    assert.deepEqual((await given.plane.code.run("```ts\nreturn 7\n```")).value, 7);
  });

  test("the tools are listed under the names that programs call them by", async () => {
    await using given = await world({ config: { mcpServers: { one: fixture("echo") } } });
    await given.plane.tools.list();
    const { value } = await given.plane.code.run(
      "return [Object.keys(tools).sort(), Object.keys(tools.one).includes('echo'), 'put_note' in tools]",
    );
    assert.deepEqual(value, [
      ["fail", "look", "nap", "one", "put_note", "read_result", "say"],
      true,
      true,
    ]);
  });

  test("a call that is not waited for is said, with the remedy", async () => {
    await using given = await world();
    const { text, ok } = await given.plane.code.run("tools.nap({}); return null");
    assert.ok(ok);
    assert.equal(text, "The program ended before 1 of its calls did. Put 'await' before it.");
    const logged = await given.plane.code.run(
      "tools.nap({}); tools.nap({ again: true }); console.log('went on')",
    );
    assert.match(
      logged.text,
      /^The program ended before 2 of its calls did\. Put 'await' before them\.\nLogs:\nwent on$/,
    );
  });

  test("a picture is a word in the program, goes to another tool whole, and is returned as a picture", async () => {
    await using given = await world();
    const data = Buffer.alloc(3_000, 7).toString("base64");
    const picture = { type: "image", mimeType: "image/png", data };
    given.plane.tools.register({
      manifest: { name: "draw", description: "Draws.", side_effects: "none" },
      run: () => ({ content: [{ type: "text", text: "here" }, picture] }),
    } as never);
    const source = `
      const [said, image] = await tools.draw({});
      const seen = await tools.look({ at: image.data });
      return { length: image.data.length, bytes: image.bytes, same: seen.at === image.data, image };`;
    const { value, text, blocks } = await given.plane.code.run(source);
    const sent = given.made.find(({ name }) => name === "look");
    assert.equal(sent?.args.at, data, "the tool gets the data");
    const { length, bytes, image } = value as { length: number; bytes: number; image: object };
    assert.ok(length < 20 && bytes === 3_000, `${length} characters for ${bytes} bytes`);
    assert.deepEqual(image, { ...picture, bytes: 3_000 }, "who gets the value gets the data");
    assert.ok(text.length < 300 && !text.includes(data), "a model does not read base64");
    assert.deepEqual(blocks, [picture]);
  });

  test("a picture in many places is counted before the answer or the arguments are built", async () => {
    await using given = await world();
    const data = Buffer.alloc(750_000, 7).toString("base64");
    given.plane.tools.register({
      manifest: { name: "draw", description: "Draws.", side_effects: "none" },
      run: () => ({ content: [{ type: "image", mimeType: "image/png", data }] }),
    } as never);
    const draw = "const [image] = await tools.draw({});";
    const returned = await given.plane.code.run(`${draw} return Array(2_000).fill(image)`);
    assert.equal(returned.error?.code, "PAYLOAD_TOO_LARGE");
    assert.match(returned.error?.message ?? "", /1907 MB of pictures.*16 MB are given/);
    assert.equal(returned.value, null);
    const sent = await given.plane.code.run(
      `${draw} return await tools.look({ at: Array(100).fill(image.data) }).catch((error) => error.code)`,
    );
    assert.equal(sent.value, "PAYLOAD_TOO_LARGE");
    const often = await given.plane.code.run(
      `${draw}
       let sent = 0;
       try { for (;; sent++) await tools.look({ at: Array(10).fill(image.data), sent }); }
       catch (error) { return [sent, error.code]; }`,
    );
    assert.deepEqual([often.value, often.error], [[6, "PAYLOAD_TOO_LARGE"], null]);
    assert.equal(given.made.filter(({ name }) => name === "look").length, 6);
    const few = await given.plane.code.run(`${draw} return Array(10).fill(image)`);
    assert.equal((few.value as { data: string }[])[9]?.data, data);
  });

  test("nothing of a thrown error is longer than a reader can use", async () => {
    await using given = await world();
    const source = (field: string) =>
      `const error = new ToolError({ code: "NO", message: "no" }); error.${field} = "x".repeat(30_000_000); throw error`;
    for (const field of ["name", "message", "stack", "code", "tool"]) {
      const { error, text } = await given.plane.code.run(source(field));
      assert.equal(error?.code, "PROGRAM_FAILED", field);
      assert.ok(JSON.stringify(error).length < 25_000, field);
      assert.ok(text.length < 25_000, field);
    }
  });

  test("progress of its calls and what it logs reach the caller while it runs", async () => {
    await using given = await world({ config: { mcpServers: { far: fixture("conformance") } } });
    const told: { progress: number; message: string | null }[] = [];
    const relay = {
      onProgress: (one: { progress: number; message: string | null }) => void told.push(one),
    };
    const source = "console.log('begins'); await tools.far.test_tool_with_progress({}); return 1";
    const { error } = await given.plane.code.run(source, { relay } as never);
    assert.equal(error, null);
    assert.equal(told[0]?.message, "begins");
    assert.ok(
      told.some(({ message }) => message?.startsWith("far.test_tool_with_progress: ")),
      JSON.stringify(told),
    );
    assert.deepEqual(
      told.map(({ progress }) => progress),
      told.map((_, at) => at + 1),
    );
  });
});
