import type { JsonObject } from "../json.ts";

/** How an MCP client names the conversation of a request. */
export const conversationInMeta = "toolplane/conversation";
export const maxConversationName = 200;

export function isConversationName(name: unknown): name is string {
  return typeof name === "string" && name !== "" && name.length <= maxConversationName;
}

/** Which conversation a call belongs to. */
export type ConversationId = {
  /** Stands for its caller and its name. */
  readonly key: string;
  /** Known by its caller and client alone: several conversations of theirs may be in it. A yes for it counts for one call. */
  readonly isShared: boolean;
};

/** A conversation with what was kept of it when its call began. */
export type Conversation = { readonly id: ConversationId };

/** What one part of the plane keeps of each conversation. */
export type SlotSettings<Value extends JsonObject> = {
  /** Whose it is, and what: `code.values`. */
  name: string;
  /** What an earlier version kept may be something else; it is forgotten then. */
  fits?(kept: JsonObject): kept is Value;
  maxBytes: number;
  /** From its last change on. */
  lifeMs: number;
};

export type ConversationSlot<Value extends JsonObject> = {
  /** Null where nothing is kept, or no longer. */
  read(conversation: Conversation): Value | null;
  /** Null forgets it. Where several planes share a store, it is stored when this resolves. */
  change(conversation: Conversation, step: (value: Value | null) => Value | null): Promise<void>;
};

/** The memory of conversations. */
export type Conversations = {
  slot<Value extends JsonObject>(settings: SlotSettings<Value>): ConversationSlot<Value>;
  /** As of now. At once where this plane alone serves it and has it in memory. */
  open(id: ConversationId): Conversation | Promise<Conversation>;
};
