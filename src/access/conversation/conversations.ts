import type {
  ConversationId,
  ConversationSlot,
  Conversations,
  SlotSettings,
} from "../../model/access/conversation.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Store } from "../../model/store.ts";
import { createOwnKeeping, createSharedKeeping, type Keeping, keptInMemory } from "./keeping.ts";
import { KeptConversation, type KeptValues, sizeOf } from "./kept-conversation.ts";

const maxConversationBytes = 256 * 1_024;
const maxMemoryBytes = 64 * 1_024 * 1_024;
/** One that is known by its caller and client alone is over after so long without a call. */
const sharedIdleMs = 30 * 60_000;
/** How often its use is noted in the store. */
const noteUseMs = 60_000;

export type ConversationPorts = {
  store(): Promise<Store>;
  outlivesUs: boolean;
  /** Whether other planes serve the same conversations. */
  isOneOfSeveral: boolean;
};

/** What is kept of conversations: in memory, and sealed in the store, so that a restart and other planes have it. */
export function createConversations({ store, outlivesUs, isOneOfSeveral }: ConversationPorts) {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const setNow = (storeNow: number) => {
    aheadMs = storeNow - Date.now();
  };
  const keeping = chooseKeeping();
  const memory = new Map<string, KeptConversation>();
  const loading = new Map<string, Promise<KeptConversation>>();
  const slotNames = new Set<string>();
  let bytes = 0;

  function chooseKeeping(): Keeping {
    if (!outlivesUs) return keptInMemory;
    const create = isOneOfSeveral ? createSharedKeeping : createOwnKeeping;
    return create({ store, now, setNow });
  }

  function open(id: ConversationId): KeptConversation | Promise<KeptConversation> {
    const conversation = memory.get(id.key);
    if (conversation === undefined) return load(id).then(use);
    const refreshing = keeping.refresh(conversation);
    if (refreshing === undefined) return use(conversation);
    return refreshing.then(() => use(conversation));
  }

  function load(id: ConversationId): Promise<KeptConversation> {
    const loaded = loading.get(id.key) ?? loadNow(id);
    loading.set(id.key, loaded);
    return loaded;
  }

  async function loadNow(id: ConversationId): Promise<KeptConversation> {
    const conversation = new KeptConversation(id, now());
    try {
      await keeping.load(conversation);
    } finally {
      loading.delete(id.key);
    }
    memory.set(id.key, conversation);
    bytes += conversation.bytes;
    forgetOldest();
    return conversation;
  }

  /** A call of it begins. */
  function use(conversation: KeptConversation): KeptConversation | Promise<KeptConversation> {
    const { id, usedAt } = conversation;
    memory.delete(id.key);
    memory.set(id.key, conversation);
    conversation.usedAt = now();
    const isNoted = conversation.usedAt - conversation.notedAt < noteUseMs;
    if (!id.isShared || isNoted || Object.keys(conversation.values).length === 0)
      return conversation;
    const isOver = conversation.usedAt - usedAt > sharedIdleMs;
    const noting = change(conversation, (values) => (isOver ? {} : values));
    return noting === undefined ? conversation : noting.then(() => conversation);
  }

  function change(
    conversation: KeptConversation,
    step: (values: KeptValues) => KeptValues,
  ): Promise<void> | undefined {
    if (conversation.isOver) return undefined;
    const before = conversation.bytes;
    const count = () => {
      if (memory.get(conversation.id.key) === conversation) bytes += conversation.bytes - before;
    };
    const changing = keeping.change(conversation, step);
    if (changing === undefined) return void count();
    return changing.then(count);
  }

  /** What is not written yet stays. */
  function forgetOldest(): void {
    for (const [key, conversation] of memory) {
      if (bytes <= maxMemoryBytes) return;
      if (keeping.isUnwritten(conversation)) continue;
      memory.delete(key);
      bytes -= conversation.bytes;
    }
  }

  function slot<Value extends JsonObject>(settings: SlotSettings<Value>): ConversationSlot<Value> {
    const { name, lifeMs, maxBytes } = settings;
    const fits = settings.fits ?? ((kept): kept is Value => kept !== null);
    if (slotNames.has(name)) throw new Error(`Two slots of conversations are called '${name}'`);
    slotNames.add(name);

    function valueIn({ [name]: kept }: KeptValues): Value | null {
      if (kept === undefined || kept.until <= now()) return null;
      return fits(kept.value) ? kept.value : null;
    }

    function withValue(values: KeptValues, value: Value | null): KeptValues {
      const { [name]: _, ...others } = values;
      if (value === null) return others;
      const size = sizeOf(value);
      const room = Math.min(maxBytes, maxConversationBytes - sizeOf(others));
      if (size > room) throw tooLarge(name, size, room);
      return { ...others, [name]: { value, until: now() + lifeMs } };
    }

    return {
      read: ({ values }: KeptConversation) => valueIn(values),
      change: async (conversation: KeptConversation, step) =>
        change(conversation, (values) => withValue(values, step(valueIn(values)))),
    };
  }

  const conversations: Conversations = { slot, open };
  return {
    ...conversations,
    async end(id: ConversationId): Promise<void> {
      const conversation = memory.get(id.key);
      if (conversation) {
        conversation.isOver = true;
        memory.delete(id.key);
        bytes -= conversation.bytes;
      }
      if (slotNames.size > 0) await keeping.forget(id);
    },
    stop: keeping.stop,
  };
}

function tooLarge(slot: string, size: number, room: number): PlaneError {
  const message = `'${slot}' of this conversation would have ${size} bytes, and there is room for ${room}. Keep less, or start another conversation.`;
  return new PlaneError("PAYLOAD_TOO_LARGE", message, { data: { slot, size, room } });
}
