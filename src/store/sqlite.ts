import type { HealthSample } from "../model/health.ts";
import type { CallColumns, EntryEdits, JournalEntry, Store } from "../model/store.ts";
import {
  deleteApiKey,
  insertApiKey,
  selectApiKeyByHash,
  selectApiKeys,
  selectHasApiKeys,
  updateApiKeyRevoked,
  updateApiKeyUsed,
} from "./sqlite/api-keys.ts";
import { deleteCallsBefore } from "./sqlite/call-chain.ts";
import { addToMinutes, selectCallSeries } from "./sqlite/call-minutes.ts";
import { createCallAppender, selectCall, selectCalls, selectCallUsers } from "./sqlite/calls.ts";
import { insertChanges, selectAudiences, selectChanges } from "./sqlite/changes.ts";
import type { Prepare } from "./sqlite/connection.ts";
import { createConnection } from "./sqlite/connection.ts";
import {
  deleteDeadLetter,
  deleteEndedDeadLetters,
  insertDeadLetter,
  selectDeadLetter,
  selectDeadLetters,
  selectDueDeadLetters,
  updateDeadLetter,
} from "./sqlite/dead-letters.ts";
import { createDueWork } from "./sqlite/due-work.ts";
import { deleteEntry, selectEntries, upsertEntry } from "./sqlite/entries.ts";
import { createEventAppender, selectEvents, selectLastEventId } from "./sqlite/events.ts";
import {
  closePlan,
  countHeldCalls,
  deleteRemembered,
  insertChange,
  insertHeldCall,
  insertRemembered,
  selectHeldCall,
  selectHeldCalls,
  selectPlans,
  selectRemembered,
  updateHeldCall,
} from "./sqlite/held-calls.ts";
import { createJobStore } from "./sqlite/jobs.ts";
import { replaceKnownServer, selectKnownServers, upsertKnownServer } from "./sqlite/known-servers.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { insertPins, replacePin, selectPin, selectPinnedServer, selectPins } from "./sqlite/pins.ts";
import { deleteExpiredResults, insertResult, selectResult, selectResults } from "./sqlite/results.ts";
import { deleteRunsBefore, insertRun, selectRun, selectRuns } from "./sqlite/runs.ts";
import { insertSamples, selectNewSamples, selectSamples } from "./sqlite/samples.ts";
import { deleteSecret, selectSecret, selectSecretKeys, upsertSecret } from "./sqlite/secrets.ts";
import { changeShared, deleteEndedShared, selectShared, selectSharedKeys } from "./sqlite/shared-values.ts";
import { createStateStore } from "./sqlite/state.ts";
import { verifyCalls } from "./sqlite/verify-calls.ts";

/** So many calls are removed at a time, so that nobody waits long for the store. */
const removedAtATime = 5_000;
/** These are larger: each holds a conversation. */
const runsRemovedAtATime = 100;

/** `":memory:"` is a store that ends with the process. */
export async function openSqliteStore(file: string): Promise<Store> {
  const connection = createConnection(await openDatabase(file), file);
  const { read, write, close } = connection;
  return {
    append: (entries) => write((prepare) => insertEntries(prepare, entries)),
    call: (id) => read((prepare) => selectCall(prepare, id)),
    callUsers: (ids) => read((prepare) => selectCallUsers(prepare, ids)),
    calls: (filter = {}) => read((prepare) => selectCalls(prepare, filter)),
    callSeries: (span) => read((prepare) => selectCallSeries(prepare, span)),
    events: (after, limit) => read((prepare) => selectEvents(prepare, after, limit)),
    lastEventId: () => read(selectLastEventId),
    samples: () => read(selectSamples),
    newSamples: (after) => read((prepare) => selectNewSamples(prepare, after)),
    addHeldCall: (held) => write((prepare) => insertHeldCall(prepare, held)),
    addChange: (held, plan) => write((prepare) => insertChange(prepare, held, plan)),
    heldCall: (id) => read((prepare) => selectHeldCall(prepare, id)),
    heldCalls: (filter = {}, part) => read((prepare) => selectHeldCalls(prepare, filter, part)),
    countHeldCalls: (filter) => read((prepare) => countHeldCalls(prepare, filter)),
    replaceHeldCall: (held) => write((prepare) => updateHeldCall(prepare, held)),
    plans: () => read(selectPlans),
    closePlan: (id) => write((prepare) => closePlan(prepare, id)),
    addRemembered: (remembered) => write((prepare) => insertRemembered(prepare, remembered)),
    remembered: (user) => read((prepare) => selectRemembered(prepare, user)),
    forgetRemembered: (id, user) => write((prepare) => deleteRemembered(prepare, id, user)),
    secret: (key) => read((prepare) => selectSecret(prepare, key)),
    putSecret: (key, value) => write((prepare) => upsertSecret(prepare, key, value)),
    deleteSecret: (key) => write((prepare) => deleteSecret(prepare, key)),
    secrets: (prefix) => read((prepare) => selectSecretKeys(prepare, prefix)),
    addApiKey: (key, hash) => write((prepare) => insertApiKey(prepare, key, hash)),
    apiKeyByHash: (hash) => read((prepare) => selectApiKeyByHash(prepare, hash)),
    apiKeys: () => read(selectApiKeys),
    hasApiKeys: () => read(selectHasApiKeys),
    revokeApiKey: (id, at) => write((prepare) => updateApiKeyRevoked(prepare, id, at)),
    deleteApiKey: (id) => write((prepare) => deleteApiKey(prepare, id)),
    touchApiKey: (id, at) => write((prepare) => updateApiKeyUsed(prepare, id, at)),
    knownServers: (identities) => read((prepare) => selectKnownServers(prepare, identities)),
    putKnownServer: (known) => write((prepare) => upsertKnownServer(prepare, known)),
    putListing: (known, basis, changes) =>
      write((prepare) => {
        const isReplaced = replaceKnownServer(prepare, known, basis);
        if (isReplaced) insertChanges(prepare, changes);
        return isReplaced;
      }),
    addDeadLetter: (letter, most) => write((prepare) => insertDeadLetter(prepare, letter, most)),
    deadLetter: (id) => read((prepare) => selectDeadLetter(prepare, id)),
    deadLetters: (filter) => read((prepare) => selectDeadLetters(prepare, filter)),
    replaceDeadLetter: (letter) => write((prepare) => updateDeadLetter(prepare, letter)),
    deleteDeadLetter: (id, revision) => write((prepare) => deleteDeadLetter(prepare, id, revision)),
    dueDeadLetters: (now) => read((prepare) => selectDueDeadLetters(prepare, now)),
    forgetEndedDeadLetters: (before) => write((prepare) => deleteEndedDeadLetters(prepare, before)),
    entries: () => read(selectEntries),
    editEntries: (edits) => write((prepare) => editEntries(prepare, edits)),
    addChanges: (changes) => write((prepare) => insertChanges(prepare, changes)),
    changes: (query) => read((prepare) => selectChanges(prepare, query)),
    changeAudiences: () => read(selectAudiences),
    pinnedServer: (identity) => read((prepare) => selectPinnedServer(prepare, identity)),
    pin: (identity, tool) => read((prepare) => selectPin(prepare, identity, tool)),
    pins: (identities) => read((prepare) => selectPins(prepare, identities)),
    addPins: (identity, server, pins) => write((prepare) => insertPins(prepare, identity, server, pins)),
    putPin: (decision) => write((prepare) => replacePin(prepare, decision)),
    putResult: (kept, most) => write((prepare) => insertResult(prepare, kept, most)),
    result: (id) => read((prepare) => selectResult(prepare, id)),
    results: (filter = {}) => read((prepare) => selectResults(prepare, filter)),
    forgetResults: (now) => write((prepare) => deleteExpiredResults(prepare, now)),
    run: (id) => read((prepare) => selectRun(prepare, id)),
    runs: (filter = {}) => read((prepare) => selectRuns(prepare, filter)),
    forgetRuns: (before) => write((prepare) => deleteRunsBefore(prepare, before, runsRemovedAtATime)),
    ...createJobStore({ read, write }),
    dueWork: async () => createDueWork({ read }),
    ...createStateStore(connection),
    sharedValue: (key) => read((prepare) => selectShared(prepare, key, Date.now())),
    changeShared: (key, keptMs, step) =>
      write((prepare) => changeShared(prepare, key, keptMs, step, Date.now())),
    sharedKeys: (keys) => read((prepare) => selectSharedKeys(prepare, keys, Date.now())),
    forgetShared: () => write((prepare) => deleteEndedShared(prepare, Date.now())),
    verifyCalls: (head) => verifyCalls(read, head),
    forgetCalls: (before) =>
      write((prepare) => deleteCallsBefore(prepare, before, new Date().toISOString(), removedAtATime)),
    ...onOneMachine,
    close,
  };
}

/** A file is always there, tells nobody, and takes one writer at a time. */
const onOneMachine: Pick<Store, "trouble" | "onTrouble" | "watch" | "alone"> = {
  trouble: () => null,
  onTrouble: () => () => undefined,
  watch: () => () => undefined,
  async alone(_task, work) {
    await work();
    return true;
  },
};

function editEntries(prepare: Prepare, { put, remove, changes }: EntryEdits): void {
  for (const key of remove) deleteEntry(prepare, key);
  for (const entry of put) upsertEntry(prepare, entry);
  insertChanges(prepare, changes);
}

function insertEntries(prepare: Prepare, entries: readonly JournalEntry[]): void {
  const samples: HealthSample[] = [];
  const calls: CallColumns[] = [];
  const addCall = createCallAppender(prepare);
  const addEvent = createEventAppender(prepare);
  for (const entry of entries) {
    if (entry.kind === "call") {
      addCall(entry.call, entry.text ?? JSON.stringify(entry.call));
      calls.push(entry.call);
    } else if (entry.kind === "event") addEvent(entry.at, entry.event);
    else if (entry.kind === "run") insertRun(prepare, entry.run);
    else samples.push(entry.sample);
  }
  addToMinutes(prepare, calls);
  insertSamples(prepare, samples);
}
