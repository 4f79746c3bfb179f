import type { Conversation, ConversationId } from "../../model/access/conversation.ts";
import type { JsonObject } from "../../model/json.ts";

/** By the name of their slot. */
export type KeptValues = Readonly<Record<string, { value: JsonObject; until: number }>>;

/** A conversation as the store has it. */
export type StoredConversation = { revision: string; usedAt: number; values: KeptValues };

/** What a conversation takes in memory beside its values. */
const ownBytes = 500;

/** A conversation in memory. */
export class KeptConversation implements Conversation {
  readonly id: ConversationId;
  values: KeptValues = {};
  /** Of the values that other planes see, too. */
  revision = "";
  usedAt: number;
  /** When its use was last noted in the store. */
  notedAt = 0;
  bytes = ownBytes;
  /** What still runs in it keeps nothing any more. */
  isOver = false;

  constructor(id: ConversationId, usedAt: number) {
    this.id = id;
    this.usedAt = usedAt;
  }

  put(values: KeptValues): void {
    this.values = values;
    this.notedAt = this.usedAt;
    this.bytes = ownBytes + sizeOf(values);
  }

  adopt(stored: StoredConversation | null): void {
    this.revision = stored?.revision ?? "";
    this.usedAt = stored?.usedAt ?? this.usedAt;
    this.put(stored?.values ?? {});
  }
}

export function sizeOf(json: object): number {
  return Buffer.byteLength(JSON.stringify(json));
}
