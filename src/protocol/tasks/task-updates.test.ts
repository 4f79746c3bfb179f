import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { moveTime, useMockedTime } from "../../../test/samples/mocked-time.ts";
import type { TaskUpdate } from "../session.ts";
import { readTask, type Task } from "./task.ts";
import { createTaskPoll, createTaskReporter } from "./task-updates.ts";

const at = (status: string, statusMessage?: string) =>
  readTask({ taskId: "t", status, statusMessage }) as Task;

suite("the news of a task", () => {
  useMockedTime();

  test("a wait ends with its time, with what is reported, or at once when it was reported before", async () => {
    const news = createTaskPoll(new AbortController().signal);
    const first = news.wait(1_000);
    await moveTime(1_000);
    assert.equal(await first, undefined);
    const second = news.wait(1_000);
    news.tell(at("completed"));
    assert.equal((await second)?.status, "completed");
    news.ring();
    assert.equal(await news.wait(1_000), undefined);
  });

  test("a wait ends with its call", async () => {
    const over = new AbortController();
    const waiting = createTaskPoll(over.signal).wait(1_000);
    over.abort();
    assert.equal(await waiting, undefined);
  });

  test("nothing is reported in the quiet time, then where it stands, then every change once", async () => {
    const told: [TaskUpdate["status"], TaskUpdate["message"], boolean][] = [];
    const teller = createTaskReporter(10_000, ({ status, message }, isNews) =>
      told.push([status, message, isNews]),
    );
    teller.see(at("working"));
    await moveTime(9_999);
    teller.see(at("working", "half"));
    assert.deepEqual(told, []);
    await moveTime(1);
    assert.deepEqual(told, [["working", "half", false]]);
    teller.see(at("working", "half"));
    teller.see(at("completed"));
    assert.deepEqual(told.slice(1), [["completed", null, true]]);
  });

  test("what ends in the quiet time is never told", async () => {
    const told: unknown[] = [];
    const teller = createTaskReporter(10_000, (update) => told.push(update));
    teller.see(at("working"));
    teller.see(at("completed"));
    teller.stop();
    await moveTime(60_000);
    assert.deepEqual(told, []);
  });
});
