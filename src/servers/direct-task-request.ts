import type { UnknownObject } from "../model/json.ts";
import type { RequestOptions, TaskListener } from "../protocol/session.ts";
import {
  cancelTask,
  createTaskWatch,
  finishTask,
  nameMs,
  type TaskWatch,
} from "../protocol/tasks/run-as-task.ts";
import { type Task, taskIn } from "../protocol/tasks/task.ts";
import { DirectRequest } from "./direct-request.ts";

/** To a server that may answer with a task, which is followed to its end. */
export class DirectTaskRequest extends DirectRequest {
  #watch: TaskWatch | undefined;
  #naming: AbortController | undefined;

  /** Made when an answer has named a task; after the end it hears nothing. */
  get task(): TaskListener {
    return this.#watching().listener;
  }

  /** It is still written for a moment after its call has ended. */
  override send(params: UnknownObject): void {
    this.onWrite?.();
    super.send(params);
  }

  #watching(): TaskWatch {
    this.#watch ??= createTaskWatch(this.ports.taskQuietMs, this.options.onTask, this.startedAt);
    if (this.isOver) this.#watch.end();
    return this.#watch;
  }

  /** Of the request, which outlasts its call for a moment. */
  override get signal(): RequestOptions["signal"] {
    this.#naming ??= new AbortController();
    return this.#naming.signal;
  }

  override resolve(result: unknown): void {
    if (taskIn(result) !== undefined) this.endWith(Promise.resolve(result));
    else if (!this.isOver) super.resolve(result);
  }

  /** After a question the answer may be a task as well. */
  protected override endWith(answer: Promise<unknown>): void {
    const finished = answer.then((result) => {
      const task = taskIn(result);
      return task === undefined ? result : this.#finish(task);
    });
    super.endWith(finished.finally(() => this.#watch?.end()));
  }

  override reject(reason: unknown): void {
    super.reject(reason);
    this.#watch?.end();
  }

  /** Only the answer names the task: given up earlier, it could never be cancelled. */
  override cancel(reason: unknown): void {
    this.isCancelled = true;
    this.reject(reason);
    const giveUp = () => {
      this.#naming?.abort(reason);
      this.live.peer.cancel(this.id, reason);
    };
    setTimeout(giveUp, nameMs).unref();
  }

  #finish(task: Task): Promise<unknown> | undefined {
    const { session, channel } = this.live;
    if (this.isOver) return void cancelTask(session, task);
    const { connection, params, ports, onRequest } = this;
    const { signal, onTask } = this.options;
    // The task of a child process is lost with it.
    const reopen = channel.pid === null ? () => ports.reopen(connection) : undefined;
    const call = {
      session,
      params,
      support: undefined,
      options: { signal, onTask, onRequest },
      reopen,
    };
    return finishTask(call, task, this.#watching());
  }
}
