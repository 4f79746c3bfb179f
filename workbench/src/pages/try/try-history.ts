import { useSyncExternalStore } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";

export type Trial = {
  id: number;
  at: string;
  tool: string;
  args: UnknownObject;
  dryRun: boolean;
  outcome: OutcomeAnswer;
};

const maxTrials = 50;
const listeners = new Set<() => void>();
let trials: readonly Trial[] = [];
let lastId = 0;

/** In memory only: arguments may be private. */
export function keepTrial(trial: Omit<Trial, "id" | "at">): void {
  lastId += 1;
  trials = [{ ...trial, id: lastId, at: new Date().toISOString() }, ...trials].slice(0, maxTrials);
  for (const listener of listeners) listener();
}

/** A call that waited has run, or was rejected. */
export function answerTrial(before: OutcomeAnswer, outcome: OutcomeAnswer): void {
  trials = trials.map((trial) => (trial.outcome === before ? { ...trial, outcome } : trial));
  for (const listener of listeners) listener();
}

export function useTrials(tool: string): readonly Trial[] {
  const allTrials = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => trials,
  );
  return allTrials.filter((trial) => trial.tool === tool);
}
