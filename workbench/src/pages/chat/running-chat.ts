import type { RunningRun } from "../../api/history-queries.ts";
import { callOperation } from "../../api/operations.ts";
import type { RunAnswer } from "../../api/queries.ts";
import type { ChatItem } from "./chat-items.ts";
import { itemsOf } from "./kept-chats.ts";

const pollMs = 400;
/** A run that was only just asked for is not listed yet. */
const maxPolls = 50;

const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs));

/** The run of a conversation that has not ended. */
export async function findRunning(conversation: string): Promise<RunningRun | undefined> {
  const { runs } = await callOperation("runs.running", {});
  return runs.find((run) => run.conversation === conversation);
}

export async function stopRun(conversation: string, isOver: () => boolean): Promise<void> {
  for (let polls = 0; polls < maxPolls && !isOver(); polls += 1) {
    const run = await findRunning(conversation);
    if (run) return void (await callOperation("runs.stop", { id: run.id }));
    await pause();
  }
}

/** Tells what a run has said and done, until it ends or is no longer of interest. */
export async function followRun(
  id: string,
  earlierRuns: readonly RunAnswer[],
  onItems: (items: readonly ChatItem[]) => void,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    // While the plane is unreachable nothing is known; where it was started again, the run is gone.
    const running = await callOperation("runs.running", { id }).catch(() => undefined);
    const run = running?.runs[0];
    if (running && !run) return;
    if (run) onItems(liveItems(run, earlierRuns));
    await pause();
  }
}

/** The conversation so far; a call without its result is under way. */
export function liveItems(
  { messages = [], calls }: RunningRun,
  earlierRuns: readonly RunAnswer[],
): ChatItem[] {
  const openCallIds = new Set(calls.flatMap(({ id, status }) => (status === null ? id : [])));
  return itemsOf(messages, earlierRuns).map((item) =>
    item.kind === "call" && openCallIds.has(item.call.id) ? { ...item, result: null } : item,
  );
}
