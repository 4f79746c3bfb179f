import type { Store } from "../model/store.ts";

/** A store that looks into the journal before anybody reads what came through it. */
export function upToDate(store: Store, flush: () => Promise<void>): Store {
  const after =
    <Given extends unknown[], Found>(read: (...given: Given) => Promise<Found>) =>
    async (...given: Given): Promise<Found> => {
      await flush();
      return read(...given);
    };
  return {
    ...store,
    call: after(store.call),
    callUsers: after(store.callUsers),
    calls: after(store.calls),
    callSeries: after(store.callSeries),
    events: after(store.events),
    lastEventId: after(store.lastEventId),
    samples: after(store.samples),
    newSamples: after(store.newSamples),
    verifyCalls: after(store.verifyCalls),
    forgetCalls: after(store.forgetCalls),
    run: after(store.run),
    runs: after(store.runs),
    forgetRuns: after(store.forgetRuns),
  };
}
