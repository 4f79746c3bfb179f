import type { Recordings, RecordingsContext } from "./recordings.ts";

const noRecordings: Recordings = {
  isOffline: false,
  adapt: undefined,
  watch: () => ({}),
  around: (_, inner) => inner,
  close: async () => undefined,
};

/** Loaded only where something is recorded or replayed. */
export async function loadRecordings(context: RecordingsContext): Promise<Recordings> {
  const { record, replay, replayMiss } = context.options;
  if (record === undefined && replay === undefined && replayMiss === undefined) return noRecordings;
  return (await import("./recordings.ts")).openRecordings(context);
}
