import type { RunningRun } from "../../api/history-queries.ts";
import { callOperation } from "../../api/operations.ts";
import type { RunAnswer } from "../../api/queries.ts";
import type { ChatItem } from "./chat-items.ts";
import { itemsOf } from "./kept-chats.ts";

const lookMs = 400;
/** A run that was only just asked for is not listed yet. */
const maxLooks = 50;

const pause = () => new Promise((resolve) => setTimeout(resolve, lookMs));

/** The run of a conversation that has not ended. */
export async function findRunning(conversation: string): Promise<RunningRun | undefined> {
  const { runs } = await callOperation("runs.running", {});
  return runs.find((run) => run.conversation === conversation);
}

export async function stopRun(conversation: string, isOver: () => boolean): Promise<void> {
  for (let looks = 0; looks < maxLooks && !isOver(); looks += 1) {
    const run = await findRunning(conversation);
    if (run) return void (await callOperation("runs.stop", { id: run.id }));
    await pause();
  }
}

/** Tells what a run has said and done, until it ends or is no longer of interest. */
export async function followRun(
  id: string,
  earlier: readonly RunAnswer[],
  tell: (items: readonly ChatItem[]) => void,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    // While the plane is unreachable nothing is known; where it was started again, the run is gone.
    const found = await callOperation("runs.running", { id }).catch(() => undefined);
    const run = found?.runs[0];
    if (found && !run) return;
    if (run) tell(liveItems(run, earlier));
    await pause();
  }
}

/** The conversation so far; a call without its result is under way. */
export function liveItems(
  { messages = [], calls }: RunningRun,
  earlier: readonly RunAnswer[],
): ChatItem[] {
  const open = new Set(calls.flatMap(({ id, status }) => (status === null ? id : [])));
  return itemsOf(messages, earlier).map((item) =>
    item.kind === "call" && open.has(item.call.id) ? { ...item, result: null } : item,
  );
}
