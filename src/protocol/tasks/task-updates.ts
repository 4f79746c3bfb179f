import type { OnTask, TaskUpdate } from "../session.ts";
import type { Task } from "./task.ts";

/** Waits between polls, unless something happens before. */
export function createTaskPoll(over: AbortSignal) {
  let noticed: Task | undefined;
  let isRung = false;
  let wake: (() => void) | undefined;
  const ring = () => {
    isRung = true;
    wake?.();
  };
  over.addEventListener("abort", ring, { once: true });
  return {
    ring,
    /** The server sent a status. */
    tell(task: Task): void {
      noticed = task;
      ring();
    },
    /** The status that the server sent meanwhile. */
    async wait(limitMs: number): Promise<Task | undefined> {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limitMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      const status = noticed;
      [noticed, isRung, wake] = [undefined, false, undefined];
      return status;
    },
  };
}

/** Silent while a normal answer may still come; then the status, and every change. */
export function createTaskReporter(quietMs: number, onTask: OnTask | undefined) {
  let latest: TaskUpdate | undefined;
  let isLoud = false;
  const timer = setTimeout(() => {
    isLoud = true;
    if (latest) onTask?.(latest, false);
  }, quietMs);
  timer.unref();
  return {
    see({ taskId, status, message }: TaskUpdate): void {
      const isNews = latest?.status !== status || latest.message !== message;
      latest = { taskId, status, message };
      if (isLoud && isNews) onTask?.(latest, true);
    },
    stop: () => clearTimeout(timer),
  };
}
