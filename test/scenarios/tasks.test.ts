import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { EventOf, Plane } from "../../src/index.ts";
import { inMemory, type MemoryServer } from "../../src/testing/testing.ts";
import { scaledMs } from "../fixtures/patience.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  processFixture as fixture,
  pidsIn,
  planeOf,
  textsOf,
  untilLogged,
  within,
} from "./support.ts";

/** Told at once; the usual ten seconds are too long for a test. */
const soon = { taskQuietMs: 50 };

function tasksTold(plane: Plane): EventOf<"tool.task">[] {
  const told: EventOf<"tool.task">[] = [];
  plane.on("tool.task", (event) => told.push(event));
  return told;
}

const sentTo = (log: string, method: string) => receivedMessages(readLog(log), method);
const isMethod =
  (method: string) =>
  ({ message }: { message?: { method?: string } }) =>
    message?.method === method;

/** A server within this process that names its task when the test wants it. */
function heldServer() {
  const received: string[] = [];
  const { promise: released, resolve: answer } = Promise.withResolvers<void>();
  const capabilities = { tools: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const results: Record<string, object> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities },
    "tools/list": { tools: [{ name: "work", inputSchema: { type: "object" } }] },
    "tools/call": { resultType: "task", taskId: "t", status: "working" },
  };
  const server: MemoryServer = {
    async connect(transport) {
      transport.onmessage = async ({ id, method }) => {
        received.push(String(method));
        if (method === "tools/call") await released;
        if (id !== undefined && method !== undefined)
          await transport.send({ jsonrpc: "2.0", id, result: results[String(method)] ?? {} });
      };
      await transport.start();
    },
  };
  return { server, received, answer };
}

suite("background tasks", { concurrency: 4 }, () => {
  test("a tool that may or must run as a task does, and one that must not does not", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ task: fixture("task", ["--log", log]) });
    const told = tasksTold(plane);
    for (const tool of ["optional_task", "required_task", "forbidden_task"]) {
      const outcome = await plane.call(`task.${tool}`, { ms: 20 });
      assert.deepEqual(textsOf(outcome), ["the work is done"], tool);
    }
    const asked = sentTo(log, "tools/call").map(({ params }) => typeof params?.task);
    assert.deepEqual(asked, ["object", "object", "undefined"]);
    assert.deepEqual(told, [], "what is done in ten seconds is reported as any other call");
    assert.equal(sentTo(log, "tasks/cancel").length, 0);
  });

  test("the answer of a quick task does not wait for the next question about it", async () => {
    await using plane = await planeOf({ task: fixture("task", ["--poll", "60000"]) });
    const calling = plane.call("task.optional_task", { ms: 20 });
    assert.deepEqual(textsOf(await within("a task of 20 ms", calling)), ["the work is done"]);
  });

  test("a task that takes longer is reported, with every change, until it is done", async () => {
    await using plane = await planeOf({ task: fixture("task") }, soon);
    const told = tasksTold(plane);
    const progress: EventOf<"tool.progress">[] = [];
    plane.on("tool.progress", (event) => progress.push(event));
    const outcome = await plane.call("task.stepping_task", { ms: 150 });
    assert.deepEqual(textsOf(outcome), ["three steps"]);
    // Changes that come together are one, and then the last counts.
    const said = told.map(({ status, message }) => `${status}: ${message}`);
    const [first, ...steps] = said.slice(0, -1);
    assert.deepEqual(
      [first, said.at(-1)],
      ["working: working on it", "completed: the task is completed"],
    );
    assert.ok(
      steps.length > 0 && steps.every((step) => /^working: step [123]$/.test(step)),
      String(steps),
    );
    assert.deepEqual(steps, [...new Set(steps)].sort(), "each once, in order");
    assert.ok(
      told.every(({ callId, tool }) => callId === outcome.call.id && tool === "task.stepping_task"),
    );
    // What comes within a tenth of a second of another report is reported together.
    const reports = progress.map((event) => event.progress);
    assert.deepEqual(
      [reports[0], reports.at(-1), reports.length > 1],
      [1, 3, true],
      "progress goes on after the call is a task",
    );
  });

  test("what a task says about itself stretches the limit of its call", async () => {
    await using plane = await planeOf({ task: fixture("task") }, soon);
    await plane.tools.list();
    const timeoutMs = scaledMs(1_500);
    const args = { ms: Math.floor(timeoutMs / 2), silent: true };
    const outcome = await plane.call("task.stepping_task", args, { timeoutMs });
    assert.deepEqual(textsOf(outcome), ["three steps"]);
  });

  test("a task that fails is a tool that said no", async () => {
    await using plane = await planeOf({ task: fixture("task") });
    const outcome = await plane.call("task.required_task", { ms: 20, fail: true });
    assertFailed(outcome, "TOOL_ERROR", "tool_error");
    assert.deepEqual(textsOf(outcome), ["the work failed"]);
  });

  test("a server that answers only when the task is over is asked again then", async () => {
    await using plane = await planeOf({ task: fixture("task", ["--impatient"]) });
    const outcome = await plane.call("task.optional_task", { ms: 200 });
    assert.deepEqual(textsOf(outcome), ["the work is done"]);
  });

  for (const [why, code, status] of [
    ["the time limit", "TIMEOUT", "failed"],
    ["the caller", "CANCELLED", "cancelled"],
  ] as const) {
    test(`${why} cancels the task at its server`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using plane = await planeOf({ task: fixture("task", ["--log", log]) });
      await plane.tools.list();
      const controller = new AbortController();
      const limit =
        code === "TIMEOUT" ? { timeoutMs: scaledMs(1_000) } : { signal: controller.signal };
      const calling = plane.call("task.optional_task", { ms: 60_000 }, limit);
      await untilLogged(log, isMethod("tasks/get"));
      controller.abort();
      assertFailed(await within("ending a task", calling), code, status);
      await untilLogged(log, isMethod("tasks/cancel"));
      const call = sentTo(log, "tools/call")[0];
      const cancelled = sentTo(log, "notifications/cancelled").map(
        ({ params }) => params?.requestId,
      );
      assert.ok(!cancelled.includes(call?.id), "a task is not cancelled as a request");
    });
  }

  test("a task that asks something is answered and goes on", async () => {
    await using plane = await planeOf(
      { task: fixture("task", ["--poll", "60000"]) },
      { answersQuestions: true },
    );
    plane.on("question.asked", ({ questionId }) => {
      void plane.questions.answer(questionId, { action: "accept", content: { colour: "blue" } });
    });
    const outcome = await within("a question", plane.call("task.asking_task"));
    assert.deepEqual(outcome.result?.structuredContent, {
      action: "accept",
      content: { colour: "blue" },
    });
  });

  for (const [how, args] of [
    ["an error", ["--refuse"]],
    ["a result", ["--refuse", "result"]],
  ] as const) {
    test(`tasks that are offered and refused with ${how} are not tried again`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      await using plane = await planeOf({
        task: fixture("task", [...args, "--log", log], { idempotency_key: true }),
      });
      for (let times = 0; times < 2; times++) {
        const outcome = await plane.call("task.optional_task", { ms: 1 });
        assert.deepEqual(textsOf(outcome), ["the work is done"]);
      }
      const asked = sentTo(log, "tools/call").map(({ params }) => typeof params?.task);
      assert.deepEqual(asked, ["object", "undefined", "undefined"]);
      const outcome = await plane.call("task.required_task", {});
      assertFailed(outcome, "PROVIDER_FAILED", "failed");
      assert.match(
        errorOf(outcome).message,
        /'task' failed on 'required_task'.*only runs as a background task/,
      );
    });
  }

  test("a tool that needs tasks on a server without them is not called at all", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ task: fixture("task", ["--no-tasks", "--log", log]) });
    const outcome = await plane.call("task.required_task", { ms: 1 });
    assertFailed(outcome, "PROVIDER_FAILED", "failed");
    assert.match(
      errorOf(outcome).message,
      /'required_task' of server 'task'.*does not offer tasks/,
    );
    assert.deepEqual(callsAt(log), []);
    assert.deepEqual(textsOf(await plane.call("task.optional_task", { ms: 1 })), [
      "the work is done",
    ]);
  });

  test("a task is lost with the process that runs it, and not begun again", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ task: fixture("task", ["--log", log]) });
    const calling = plane.call("task.optional_task", { ms: 60_000 });
    await untilLogged(log, isMethod("tasks/get"));
    process.kill(pidsIn(log)[0] as number, "SIGKILL");
    assertFailed(await within("a lost task", calling), "OUTCOME_UNKNOWN", "failed");
    assert.equal(callsAt(log).length, 1);
  });

  test("over the network a task is found again in a new session, as long as its server knows it", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using server = await startHttpFixture("task", ["--http", "--log", log]);
    await using plane = await planeOf({ task: { url: server.url } });
    await plane.tools.list();
    const found = await plane.call("task.optional_task", { ms: 600, endSession: true });
    assert.deepEqual(textsOf(found), ["the work is done"]);
    assert.equal(callsAt(log).length, 1);
    assert.equal(sentTo(log, "initialize").length, 2, "it went on in a new session");
    const forgotten = await plane.call("task.optional_task", {
      ms: 60_000,
      endSession: true,
      forget: true,
    });
    assertFailed(forgotten, "PROVIDER_FAILED", "failed");
    assert.match(errorOf(forgotten).message, /does not know the task any more.*may have run/);
    assert.equal(callsAt(log).length, 2);
  });

  test("a plane that stops cancels its tasks", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const plane = await planeOf({ task: fixture("task", ["--log", log]) });
    const calling = plane.call("task.optional_task", { ms: 60_000 });
    await untilLogged(log, isMethod("tasks/get"));
    await within("stopping", plane.stop());
    assertFailed(await calling, "OUTCOME_UNKNOWN", "failed");
    await until("the cancel", () => sentTo(log, "tasks/cancel").length === 1);
  });
});

suite("background tasks of 2026-07-28", { concurrency: 4 }, () => {
  test("the server decides, and its task is followed to the result", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf(
      { task: fixture("modern-task", ["--log", log], { protocol: "modern" }) },
      soon,
    );
    const told = tasksTold(plane);
    const outcome = await plane.call("task.work", { ms: 300 });
    assert.deepEqual(textsOf(outcome), ["the work is done"]);
    assert.deepEqual(
      told.map(({ status }) => status),
      ["working", "completed"],
    );
    assert.equal(sentTo(log, "initialize").length + sentTo(log, "tasks/result").length, 0);
  });

  test("a server that wants to be asked rarely tells by itself", async () => {
    await using plane = await planeOf({ task: fixture("modern-task", ["--poll", "60000"]) });
    await plane.tools.list();
    const calling = plane.call("task.work", { ms: 300 });
    assert.deepEqual(textsOf(await within("a task that tells", calling)), ["the work is done"]);
  });

  test("what a task asks is answered once", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf(
      { task: fixture("modern-task", ["--log", log]) },
      { answersQuestions: true },
    );
    const asked: string[] = [];
    plane.on("question.asked", ({ questionId }) => {
      asked.push(questionId);
      setTimeout(
        () =>
          void plane.questions.answer(questionId, { action: "accept", content: { colour: "red" } }),
        300,
      );
    });
    const outcome = await plane.call("task.ask");
    assert.match(String(textsOf(outcome)[0]), /"colour":"red"/);
    assert.deepEqual([asked.length, sentTo(log, "tasks/update").length], [1, 1]);
  });

  test("a failure of the protocol and a failure of the tool are kept apart", async () => {
    await using plane = await planeOf({ task: fixture("modern-task") });
    const [tool, protocol] = await Promise.all([
      plane.call("task.work", { ms: 20, fail: "tool" }),
      plane.call("task.work", { ms: 20, fail: "protocol" }),
    ]);
    assertFailed(tool, "TOOL_ERROR", "tool_error");
    assertFailed(protocol, "PROVIDER_FAILED", "failed");
    assert.match(errorOf(protocol).message, /its task failed: it stopped: out of paper/);
    assert.equal(errorOf(protocol).data.rpcCode, -32050);
  });

  test("a task that no one waits for is cancelled", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({ task: fixture("modern-task", ["--log", log]) });
    await plane.tools.list();
    const outcome = await plane.call("task.work", { ms: 60_000 }, { timeoutMs: scaledMs(1_000) });
    assertFailed(outcome, "TIMEOUT", "failed");
    await untilLogged(log, ({ event }) => event === "task-cancelled");
  });

  test("a call that is given up before its task is named cancels the task when it is", async () => {
    const { server, received, answer } = heldServer();
    await using plane = await planeOf({ task: { ...inMemory(server) } });
    await plane.tools.list();
    const controller = new AbortController();
    const calling = plane.call("task.work", {}, { signal: controller.signal });
    await until("the call", () => received.includes("tools/call"));
    controller.abort();
    answer();
    assertFailed(await within("giving up", calling), "CANCELLED", "cancelled");
    await until("the cancel", () => received.includes("tasks/cancel"));
    assert.ok(
      !received.includes("notifications/cancelled"),
      "a task is not cancelled as a request",
    );
    assert.equal(plane.servers.poolInfo().direct.task, 1);
  });

  test("a call that is given up and names no task is cancelled as a request", async () => {
    const { server, received } = heldServer();
    await using plane = await planeOf({ task: { ...inMemory(server) } });
    await plane.tools.list();
    const controller = new AbortController();
    const calling = plane.call("task.work", {}, { signal: controller.signal });
    await until("the call", () => received.includes("tools/call"));
    controller.abort();
    assertFailed(await within("giving up", calling), "CANCELLED", "cancelled");
    await until("the cancel", () => received.includes("notifications/cancelled"));
    assert.ok(!received.includes("tasks/cancel"));
  });

  test("a call that becomes a task after a question is followed as well", async () => {
    const server = fixture("modern-task", ["--asks-first"]);
    await using plane = await planeOf({ task: server }, { answersQuestions: true });
    plane.on(
      "question.asked",
      ({ questionId }) => void plane.questions.answer(questionId, { action: "accept" }),
    );
    await plane.tools.list();
    assert.deepEqual(textsOf(await plane.call("task.work", { ms: 20 })), ["the work is done"]);
    assert.equal(plane.servers.poolInfo().direct.task, 1);
  });
});
