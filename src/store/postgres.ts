import { once } from "../lib/once.ts";
import { uniqueId } from "../lib/unique-id.ts";
import type { Store } from "../model/store.ts";
import {
  deleteApiKey,
  insertApiKey,
  selectApiKeyByHash,
  selectApiKeys,
  selectHasApiKeys,
  updateApiKeyRevoked,
  updateApiKeyUsed,
} from "./postgres/api-keys.ts";
import { deleteCallsBefore, verifyCalls } from "./postgres/call-chain.ts";
import { selectCallSeries } from "./postgres/call-minutes.ts";
import { selectCall, selectCalls, selectCallUsers } from "./postgres/calls.ts";
import { insertChanges, selectAudiences, selectChanges } from "./postgres/changes.ts";
import { checkClock } from "./postgres/check-clock.ts";
import { createConnection, type PostgresAddress } from "./postgres/connection.ts";
import {
  deleteDeadLetter,
  deleteEndedDeadLetters,
  insertDeadLetter,
  selectDeadLetter,
  selectDeadLetters,
  selectDueDeadLetters,
  updateDeadLetter,
} from "./postgres/dead-letters.ts";
import { createDueWork } from "./postgres/due-work.ts";
import { editEntries, selectEntries } from "./postgres/entries.ts";
import { selectEvents, selectLastEventId } from "./postgres/events.ts";
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
} from "./postgres/held-calls.ts";
import { createJobStore } from "./postgres/jobs.ts";
import { insertEntries } from "./postgres/journal-entries.ts";
import { replaceKnownServer, selectKnownServers, upsertKnownServer } from "./postgres/known-servers.ts";
import { createListener } from "./postgres/listener.ts";
import { createMessages } from "./postgres/messages.ts";
import { migrate } from "./postgres/migrate.ts";
import { insertPins, replacePin, selectPin, selectPinnedServer, selectPins } from "./postgres/pins.ts";
import { deleteExpiredResults, insertResult, selectResult, selectResults } from "./postgres/results.ts";
import { deleteRunsBefore, selectRun, selectRuns } from "./postgres/runs.ts";
import { selectNewSamples, selectSamples } from "./postgres/samples.ts";
import { deleteSecret, selectSecret, selectSecretKeys, upsertSecret } from "./postgres/secrets.ts";
import { createSharedValues } from "./postgres/shared-values.ts";
import { createStateStore } from "./postgres/state.ts";
import { createSureAppend } from "./postgres/sure-append.ts";

/** A store that several planes share. Opens also while the server is away, and works once it is there. */
export async function openPostgresStore(address: PostgresAddress): Promise<Store> {
  const instance = uniqueId();
  const connection = await createConnection(address, instance, async (client) => {
    await migrate(client, address);
    await checkClock(client);
  });
  const { read, write, change } = connection;
  const listener = createListener(address, instance);
  const messages = createMessages();
  const due = createDueWork({ connection, address, listener, messages });
  const held = (id: string) => ({ news: { what: "heldCall", id } }) as const;
  const keys = { news: { what: "keys" } } as const;
  const letters = { lock: "dead letters", news: { what: "deadLetters" } } as const;
  const catalogue = { lock: "catalogue" } as const;
  const pinned = { ...catalogue, news: { what: "pins" } } as const;
  const append: Store["append"] = (entries) =>
    write((query) => insertEntries(query, entries), { lock: "journal", news: { what: "journal" } });
  const call: Store["call"] = (id) => read((query) => selectCall(query, id));
  return {
    append: createSureAppend({ append, call }),
    call,
    callUsers: (ids) => read((query) => selectCallUsers(query, ids)),
    calls: (filter = {}) => read((query) => selectCalls(query, filter)),
    callSeries: (span) => read((query) => selectCallSeries(query, span)),
    events: (after, limit) => read((query) => selectEvents(query, after, limit)),
    lastEventId: () => read(selectLastEventId),
    samples: () => read(selectSamples),
    newSamples: (after) => read((query) => selectNewSamples(query, after)),
    addHeldCall: (call) => write((query) => insertHeldCall(query, call), held(call.id)),
    addChange: (call, plan) =>
      write((query) => insertChange(query, call, plan), { lock: "plans", ...held(call.id) }),
    heldCall: (id) => read((query) => selectHeldCall(query, id)),
    heldCalls: (filter = {}, part) => read((query) => selectHeldCalls(query, filter, part)),
    countHeldCalls: (filter) => read((query) => countHeldCalls(query, filter)),
    replaceHeldCall: (call) => write((query) => updateHeldCall(query, call), held(call.id)),
    plans: () => read(selectPlans),
    closePlan: (id) => write((query) => closePlan(query, id), { lock: "plans" }),
    addRemembered: (remembered) => write((query) => insertRemembered(query, remembered)),
    remembered: (user) => read((query) => selectRemembered(query, user)),
    forgetRemembered: (id, user) => write((query) => deleteRemembered(query, id, user)),
    secret: (key) => read((query) => selectSecret(query, key)),
    putSecret: (key, value) => write((query) => upsertSecret(query, key, value)),
    deleteSecret: (key) => write((query) => deleteSecret(query, key)),
    secrets: (prefix) => read((query) => selectSecretKeys(query, prefix)),
    addApiKey: (key, hash) => write((query) => insertApiKey(query, key, hash), keys),
    apiKeyByHash: (hash) => read((query) => selectApiKeyByHash(query, hash)),
    apiKeys: () => read(selectApiKeys),
    hasApiKeys: () => read(selectHasApiKeys),
    revokeApiKey: (id, at) => write((query) => updateApiKeyRevoked(query, id, at), keys),
    deleteApiKey: (id) => write((query) => deleteApiKey(query, id), keys),
    touchApiKey: (id, at) => write((query) => updateApiKeyUsed(query, id, at)),
    knownServers: (identities) => read((query) => selectKnownServers(query, identities)),
    putKnownServer: (known) => write((query) => upsertKnownServer(query, known), catalogue),
    putListing: (known, basis, changes) =>
      write(async (query) => {
        const isReplaced = await replaceKnownServer(query, known, basis);
        if (isReplaced) await insertChanges(query, changes);
        return isReplaced;
      }, catalogue),
    addDeadLetter: (letter, most) =>
      write(async (query) => {
        await insertDeadLetter(query, letter, most);
        await messages.putDeadLetters(query, [letter]);
      }, letters),
    deadLetter: (id) => read((query) => selectDeadLetter(query, id)),
    deadLetters: (filter) => read((query) => selectDeadLetters(query, filter)),
    replaceDeadLetter: (letter) =>
      write(async (query) => {
        const isReplaced = await updateDeadLetter(query, letter);
        if (isReplaced) await messages.putDeadLetters(query, [letter]);
        return isReplaced;
      }),
    deleteDeadLetter: (id, revision) => write((query) => deleteDeadLetter(query, id, revision)),
    dueDeadLetters: (now) => read((query) => selectDueDeadLetters(query, now)),
    forgetEndedDeadLetters: (before) => write((query) => deleteEndedDeadLetters(query, before)),
    entries: () => read(selectEntries),
    editEntries: (edits) =>
      write((query) => editEntries(query, edits), { ...catalogue, news: { what: "entries" } }),
    addChanges: (changes) => write((query) => insertChanges(query, changes), catalogue),
    changes: (asked) => read((query) => selectChanges(query, asked)),
    changeAudiences: () => read(selectAudiences),
    pinnedServer: (identity) => read((query) => selectPinnedServer(query, identity)),
    pin: (identity, tool) => read((query) => selectPin(query, identity, tool)),
    pins: (identities) => read((query) => selectPins(query, identities)),
    addPins: (identity, server, pins) => write((query) => insertPins(query, identity, server, pins), pinned),
    putPin: (decision) => write((query) => replacePin(query, decision), pinned),
    putResult: (kept, most) => write((query) => insertResult(query, kept, most), { lock: "results" }),
    result: (id) => read((query) => selectResult(query, id)),
    results: (filter = {}) => read((query) => selectResults(query, filter)),
    forgetResults: (now) => write((query) => deleteExpiredResults(query, now), { lock: "results" }),
    run: (id) => read((query) => selectRun(query, id)),
    runs: (filter = {}) => read((query) => selectRuns(query, filter)),
    forgetRuns: (before) => write((query) => deleteRunsBefore(query, before)),
    ...createJobStore({ read, write, change, messages }),
    dueWork: () => due.open(),
    ...createSharedValues({ read, write }, address),
    ...createStateStore(connection),
    verifyCalls: (head) => verifyCalls(read, head),
    forgetCalls: (before) => write((query) => deleteCallsBefore(query, before), { lock: "journal" }),
    trouble: connection.trouble,
    onTrouble: connection.onTrouble,
    watch: listener.on,
    alone: connection.alone,
    close: once(async () => {
      await due.close();
      await Promise.all([listener.close(), connection.close()]);
    }),
  };
}
