import { nowText } from "../lib/ids-and-time.ts";
import type { EventOf } from "../model/events.ts";
import type { Principal } from "../model/principal.ts";
import type { CallEventCount, JournalEntry } from "../model/store.ts";

/** The start of a call that takes longer is stored before its end. */
const longCallMs = 250;

/** In a list from the oldest to the youngest, until its start is stored. */
export type RunningCall = {
  readonly at: string;
  readonly since: number;
  readonly event: EventOf<"tool.call">;
  readonly principal: Principal;
  isStored: boolean;
  older: RunningCall | null;
  younger: RunningCall | null;
};

/** Calls that have no record yet. The start of most is read from their record, and stored by itself only where it must be. */
export function createRunningCalls(note: (entry: JournalEntry) => void) {
  const storedCalls = new Map<string, RunningCall>();
  let [oldest, youngest]: [RunningCall | null, RunningCall | null] = [null, null];
  let timer: NodeJS.Timeout | undefined;

  function unlink(call: RunningCall): void {
    const { older, younger } = call;
    if (older) older.younger = younger;
    else oldest = younger;
    if (younger) younger.older = older;
    else youngest = older;
    call.older = null;
    call.younger = null;
  }

  function store(call: RunningCall): void {
    unlink(call);
    call.isStored = true;
    storedCalls.set(call.event.callId, call);
    note({ kind: "event", at: call.at, event: call.event });
  }

  function storeLongCalls(): void {
    timer = undefined;
    const startedBefore = performance.now() - longCallMs;
    while (oldest && oldest.since <= startedBefore) store(oldest);
    if (oldest) timer = setTimeout(storeLongCalls, longCallMs).unref();
  }

  function findShort(callId: string): RunningCall | null {
    let call = youngest;
    while (call && call.event.callId !== callId) call = call.older;
    return call;
  }

  return {
    begin(event: EventOf<"tool.call">, principal: Principal): RunningCall {
      const call: RunningCall = {
        at: nowText(),
        since: performance.now(),
        event,
        principal,
        isStored: false,
        older: youngest,
        younger: null,
      };
      if (youngest) youngest.younger = call;
      else oldest = call;
      youngest = call;
      timer ??= setTimeout(storeLongCalls, longCallMs).unref();
      return call;
    },
    /** Something of this call is about to be stored or heard: its start comes first. */
    announce(callId: string): void {
      const call = findShort(callId);
      if (call) store(call);
    },
    /** How many of its two events its record stands for. */
    end(call: RunningCall): CallEventCount {
      if (!call.isStored) {
        unlink(call);
        return 2;
      }
      storedCalls.delete(call.event.callId);
      return 1;
    },
    /** Who made it. */
    owner: (callId: string) => (storedCalls.get(callId) ?? findShort(callId))?.principal,
    /** From the oldest to the youngest. */
    list(): RunningCall[] {
      const calls = [...storedCalls.values()];
      for (let call = oldest; call; call = call.younger) calls.push(call);
      return calls;
    },
    close: () => clearTimeout(timer),
  };
}
