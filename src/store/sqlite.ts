import type { JournalEntry, Store } from "../model/store.ts";
import { insertApproval, selectApproval, selectApprovals, updateApproval } from "./sqlite/approvals.ts";
import { insertCall, selectCall, selectCalls } from "./sqlite/calls.ts";
import type { Prepare } from "./sqlite/connection.ts";
import { createConnection } from "./sqlite/connection.ts";
import { insertEvent, selectEvents, selectLastEventId } from "./sqlite/events.ts";
import { selectKnownServers, upsertKnownServer } from "./sqlite/known-servers.ts";
import { openDatabase } from "./sqlite/open-database.ts";
import { insertSample, pruneSamples, selectSamples } from "./sqlite/samples.ts";
import { deleteSecret, selectSecret, selectSecretKeys, upsertSecret } from "./sqlite/secrets.ts";

/** `":memory:"` is a store that ends with the process. */
export async function openSqliteStore(file: string): Promise<Store> {
  const { read, write, close } = createConnection(await openDatabase(file), file);
  return {
    append: (entries) => write((prepare) => insertEntries(prepare, entries)),
    call: (id) => read((prepare) => selectCall(prepare, id)),
    calls: (filter = {}) => read((prepare) => selectCalls(prepare, filter)),
    events: (after, limit) => read((prepare) => selectEvents(prepare, after, limit)),
    lastEventId: () => read(selectLastEventId),
    samples: () => read(selectSamples),
    addApproval: (approval) => write((prepare) => insertApproval(prepare, approval)),
    approval: (id) => read((prepare) => selectApproval(prepare, id)),
    approvals: (status) => read((prepare) => selectApprovals(prepare, status)),
    answerApproval: (id, answer) => write((prepare) => updateApproval(prepare, id, answer)),
    secret: (key) => read((prepare) => selectSecret(prepare, key)),
    putSecret: (key, value) => write((prepare) => upsertSecret(prepare, key, value)),
    deleteSecret: (key) => write((prepare) => deleteSecret(prepare, key)),
    secrets: (prefix) => read((prepare) => selectSecretKeys(prepare, prefix)),
    knownServers: (identities) => read((prepare) => selectKnownServers(prepare, identities)),
    putKnownServer: (known) => write((prepare) => upsertKnownServer(prepare, known)),
    close,
  };
}

function insertEntries(prepare: Prepare, entries: readonly JournalEntry[]): void {
  const newestSamples = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === "call") insertCall(prepare, entry.call);
    else if (entry.kind === "event") insertEvent(prepare, entry.at, entry.event);
    else newestSamples.set(entry.sample.subject, insertSample(prepare, entry.sample));
  }
  for (const [subject, newest] of newestSamples) pruneSamples(prepare, subject, newest);
}
