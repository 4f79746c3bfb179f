import type { ConversationId } from "../../model/access/conversation.ts";
import type { CallOptions } from "../../model/calls/call.ts";
import { type Face, ownerOf, type Principal } from "../../model/principal.ts";

type Call = {
  principal: Principal;
  face: Face;
  options: Pick<CallOptions, "conversation">;
};

/** By the name that its caller, session or connection gave it, else by caller and client. */
export function conversationOf(
  { principal, face, options: { conversation } }: Call,
  client: string | null,
): ConversationId {
  if (conversation !== undefined) return namedConversation(conversation, principal);
  return { key: JSON.stringify([ownerOf(principal), null, client ?? face]), isShared: true };
}

/** Two callers may choose the same name. */
export function namedConversation(name: string, principal: Principal): ConversationId {
  return { key: JSON.stringify([ownerOf(principal), name]), isShared: false };
}
