import { uniqueId } from "../../lib/ids-and-time.ts";
import { hashText } from "../../lib/json/stable-json.ts";
import type { ConversationId } from "../../model/access/conversation.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Store } from "../../model/store.ts";
import type { KeptConversation, KeptValues, StoredConversation } from "./kept-conversation.ts";

/** How the values of conversations are kept beyond memory. */
export type Keeping = {
  load(conversation: KeptConversation): Promise<void>;
  /** Before each call. Undefined where memory is right. */
  refresh(conversation: KeptConversation): Promise<void> | undefined;
  change(
    conversation: KeptConversation,
    step: (values: KeptValues) => KeptValues,
  ): Promise<void> | undefined;
  isUnwritten(conversation: KeptConversation): boolean;
  forget(id: ConversationId): Promise<void>;
  stop(): Promise<void>;
};

export type KeepingPorts = {
  store(): Promise<Store>;
  /** By the clock of the store, which planes have in common. */
  now(): number;
  setNow(storeNow: number): void;
};

const sealed = { isSealed: true } as const;
const valuesKey = ({ key }: ConversationId) => `conversation:${hashText(key)}`;
const revisionKey = ({ key }: ConversationId) => `conversation-revision:${hashText(key)}`;

const asJson = (stored: StoredConversation | null) => stored as JsonObject | null;
const asStored = (value: JsonObject | null) => value as StoredConversation | null;

/** How long the store keeps them: as long as the last of them counts. */
function lifeOf(values: KeptValues, now: number): number {
  return Math.max(1, ...Object.values(values).map(({ until }) => until - now));
}

async function readInto(
  conversation: KeptConversation,
  { store, setNow }: KeepingPorts,
): Promise<void> {
  const moment = await (await store()).sharedMoment(valuesKey(conversation.id));
  setNow(moment.now);
  conversation.adopt(asStored(moment.value));
}

/** Of a plane that is alone: memory is right, and the store is written behind the calls, so that a restart has them. */
export function createOwnKeeping(ports: KeepingPorts): Keeping {
  const { store, now } = ports;
  const writing = new Map<string, Promise<void>>();
  const unwritten = new Set<KeptConversation>();

  /** One write at a time for each conversation. */
  async function write(conversation: KeptConversation): Promise<void> {
    while (unwritten.delete(conversation) && !conversation.isOver) {
      const { revision, usedAt, values } = conversation;
      const isEmpty = Object.keys(values).length === 0;
      const stored = isEmpty ? null : { revision, usedAt, values };
      const step = () => ({ value: asJson(stored), answer: null });
      try {
        const opened = await store();
        await opened.changeShared(valuesKey(conversation.id), lifeOf(values, now()), step, sealed);
      } catch {
        // The store reports itself that it is unreachable. The next change writes this one, too, or the end does.
        unwritten.add(conversation);
        break;
      }
    }
    writing.delete(conversation.id.key);
  }

  function writeSoon(conversation: KeptConversation): void {
    unwritten.add(conversation);
    const { key } = conversation.id;
    if (!writing.has(key)) writing.set(key, write(conversation));
  }

  return {
    load: (conversation) => readInto(conversation, ports),
    refresh: () => undefined,
    change(conversation, step) {
      conversation.put(step(conversation.values));
      writeSoon(conversation);
      return undefined;
    },
    isUnwritten: (conversation) => unwritten.has(conversation) || writing.has(conversation.id.key),
    async forget(id) {
      await writing.get(id.key);
      await (await store()).changeShared(valuesKey(id), 1, () => ({ value: null, answer: null }));
    },
    async stop() {
      await Promise.all(writing.values());
      await Promise.all([...unwritten].map(write));
    },
  };
}

/** Of a plane that is one of several: the store is right, and is asked for the revision before each call. */
export function createSharedKeeping(ports: KeepingPorts): Keeping {
  const { store, now } = ports;
  return {
    load: (conversation) => readInto(conversation, ports),
    async refresh(conversation) {
      const head = await (await store()).sharedValue(revisionKey(conversation.id));
      if ((head?.revision ?? "") !== conversation.revision) await readInto(conversation, ports);
    },
    /** The step meets what is stored, whichever plane wrote it. The revision goes last: who sees it finds the values. */
    async change(conversation, step) {
      const { id, usedAt } = conversation;
      const opened = await store();
      const before = asStored(await opened.sharedValue(valuesKey(id)));
      const lifeMs = lifeOf(step(before?.values ?? {}), now());
      const stored = await opened.changeShared(
        valuesKey(id),
        lifeMs,
        (value) => {
          const values = step(asStored(value)?.values ?? {});
          const changed: StoredConversation = { revision: uniqueId(), usedAt, values };
          return { value: asJson(changed), answer: changed };
        },
        sealed,
      );
      const head = { value: { revision: stored.revision }, answer: null };
      await opened.changeShared(revisionKey(id), lifeMs, () => head);
      conversation.adopt(stored);
    },
    isUnwritten: () => false,
    async forget(id) {
      const opened = await store();
      const nothing = () => ({ value: null, answer: null });
      await opened.changeShared(valuesKey(id), 1, nothing);
      await opened.changeShared(revisionKey(id), 1, nothing);
    },
    stop: async () => undefined,
  };
}

/** Of a plane whose store ends with it. */
export const keptInMemory: Keeping = {
  load: async () => undefined,
  refresh: () => undefined,
  change(conversation, step) {
    conversation.put(step(conversation.values));
    return undefined;
  },
  isUnwritten: () => false,
  forget: async () => undefined,
  stop: async () => undefined,
};
