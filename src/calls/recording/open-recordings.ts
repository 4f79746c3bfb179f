import type { openRecordings as open, Recordings } from "./recordings.ts";

const noRecordings: Recordings = {
  isOffline: false,
  adapt: undefined,
  watch: () => ({}),
  around: (_, inner) => inner,
  close: async () => undefined,
};

/** Loaded only where something is recorded or replayed. */
export async function openRecordings(...[options, ports]: Parameters<typeof open>): Promise<Recordings> {
  const { record, replay, replayMiss } = options;
  if (record === undefined && replay === undefined && replayMiss === undefined) return noRecordings;
  return (await import("./recordings.ts")).openRecordings(options, ports);
}
