import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../../model/json.ts";
import { RpcError, TransportError } from "../message.ts";
import type { RequestOptions, Session } from "../session.ts";
import { createTaskCalls } from "./call-with-task.ts";

type Answer = (params: UnknownObject) => unknown;

const offered = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };
const task = (status: string, more: UnknownObject = {}) => ({
  taskId: "t",
  status,
  pollInterval: 1,
  ...more,
});
const refuse = (code: number, message: string) => () => {
  throw new RpcError(code, message);
};

/** A session whose answers are written down, and what it was asked. */
function sample(answers: Record<string, Answer>, capabilities: UnknownObject = offered) {
  const asked: string[] = [];
  const session: Session = {
    era: "legacy",
    protocolVersion: "2025-11-25",
    capabilities,
    serverInfo: null,
    instructions: null,
    async request(method, params) {
      asked.push(params.task === undefined ? method : `${method} as a task`);
      return (answers[method] ?? refuse(-32601, "unknown"))(params);
    },
    watch() {},
    end() {},
  };
  return { session, asked };
}

function call(
  session: Session,
  support: unknown,
  reopen?: () => Promise<Session>,
  options: RequestOptions = {},
) {
  return { session, params: { name: "dig", arguments: {} }, support, options, reopen };
}

const orTask = (answer: Answer) => (params: UnknownObject) =>
  params.task ? answer(params) : { content: [] };

test("only a tool that wants it, on a server that offers it, becomes a task", async () => {
  const rows: [support: unknown, capabilities: UnknownObject, asked: string][] = [
    ["optional", offered, "tools/call as a task"],
    ["required", offered, "tools/call as a task"],
    ["forbidden", offered, "tools/call"],
    [undefined, offered, "tools/call"],
    ["optional", { tasks: {} }, "tools/call"],
    ["optional", {}, "tools/call"],
  ];
  for (const [support, capabilities, expected] of rows) {
    const { session, asked } = sample({ "tools/call": () => ({ content: [] }) }, capabilities);
    assert.deepEqual(await createTaskCalls(1_000)(call(session, support)), { content: [] });
    assert.deepEqual(asked, [expected]);
  }
});

test("a refusal is remembered for the tool in its session, and not in the next one", async () => {
  const answers = { "tools/call": orTask(refuse(-32602, "no tasks here")) };
  const callWithTask = createTaskCalls(1_000);
  const first = sample(answers);
  const next = sample(answers);
  const harmless = { mayRepeat: true };
  for (const { session } of [first, first, next])
    await callWithTask(call(session, "optional", undefined, harmless));
  assert.deepEqual(first.asked, ["tools/call as a task", "tools/call", "tools/call"]);
  assert.deepEqual(next.asked, ["tools/call as a task", "tools/call"]);
});

test("what may change something is not sent again without a task; the next call is", async () => {
  const answers = { "tools/call": orTask(refuse(-32601, "unknown method")) };
  const callWithTask = createTaskCalls(1_000);
  const { session, asked } = sample(answers);
  await assert.rejects(callWithTask(call(session, "optional")), { code: -32601 });
  assert.deepEqual(asked, ["tools/call as a task"]);
  assert.deepEqual(await callWithTask(call(session, "optional")), { content: [] });
  assert.deepEqual(asked, ["tools/call as a task", "tools/call"]);
});

test("bad arguments are no refusal of tasks", async () => {
  const callWithTask = createTaskCalls(1_000);
  const bad = sample({ "tools/call": refuse(-32602, "depth is missing") });
  await assert.rejects(callWithTask(call(bad.session, "required")), {
    message: "depth is missing",
  });
  await assert.rejects(callWithTask(call(bad.session, "optional")), {
    message: "depth is missing",
  });
  await assert.rejects(callWithTask(call(bad.session, "optional")));
  assert.equal(bad.asked.filter((what) => what === "tools/call as a task").length, 3);
});

test("what ends badly says how, in the words of the server", async () => {
  for (const [status, expected] of [
    ["failed", /its task failed: no light: the lamp broke/],
    ["cancelled", /its task was cancelled: no light: the lamp broke/],
  ] as const) {
    const { session, asked } = sample({
      "tools/call": () => ({ task: task("working") }),
      "tasks/get": () => task(status, { statusMessage: "no light" }),
      "tasks/result": refuse(-32000, "the lamp broke"),
    });
    await assert.rejects(createTaskCalls(1_000)(call(session, "required")), {
      code: -32000,
      message: expected,
    });
    assert.ok(!asked.includes("tasks/cancel"), "what is over is not cancelled");
  }
});

test("a task on the other side of the network survives a few lost questions, but not a lost process", async () => {
  let losses = 0;
  const lost = () => {
    losses += 1;
    throw new TransportError("the connection was cut", { sent: false });
  };
  const answers = {
    "tools/call": () => ({ task: task("working") }),
    "tasks/get": () => (losses < 4 ? lost() : task("completed")),
    "tasks/result": () => (losses < 4 ? lost() : { content: [] }),
  };
  const remote = sample(answers).session;
  const result = await createTaskCalls(1_000)(call(remote, "optional", async () => remote));
  assert.deepEqual(result, { content: [] });
  losses = 0;
  await assert.rejects(createTaskCalls(1_000)(call(sample(answers).session, "optional")), {
    message: /the connection was cut; its task may go on/,
    sent: true,
  });
});

test("a server that is not to be used any more is not asked for its task again", async () => {
  const { session } = sample({ "tools/call": () => ({ task: task("working") }) });
  const closed = async () => {
    throw new TransportError("the connection was closed", { sent: true, permanent: true });
  };
  await assert.rejects(createTaskCalls(1_000)(call(session, "optional", closed)), { sent: true });
});

test("the last words of a task are reported, also when they come with its result while it is being asked", async () => {
  const { session } = sample({});
  const asked = Promise.withResolvers<void>();
  let say: ((status: UnknownObject) => void) | undefined;
  session.request = async (method, _, options) => {
    say ??= options?.task?.onStatus;
    if (method === "tools/call") return { task: task("working") };
    if (method === "tasks/get") {
      asked.resolve();
      return new Promise(() => undefined);
    }
    await asked.promise;
    say?.(task("completed", { statusMessage: "all is done" }));
    return { content: [] };
  };
  const told: (string | null)[] = [];
  const options = { onTask: ({ message }: { message: string | null }) => told.push(message) };
  await createTaskCalls(0)({ ...call(session, "required"), options });
  assert.equal(told.at(-1), "all is done");
});
