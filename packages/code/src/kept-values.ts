import { namedConversation } from "@toolplane/core/access";
import type { Conversations } from "@toolplane/core/model/access/conversation";
import type { JsonObject } from "@toolplane/core/model/json";
import type { Principal } from "@toolplane/core/model/principal";

const keptMs = 7 * 86_400_000;
/** What the sandbox lets a program keep: 65,536 characters of up to three bytes. */
const maxBytes = 3 * 65_536;

export type KeptValues = ReturnType<typeof createKeptValues>;

/** What programs keep in `store` for the next program of their conversation. */
export function createKeptValues(conversations: Conversations) {
  const slot = conversations.slot({ name: "code.values", maxBytes, lifeMs: keptMs });
  const open = (conversation: string, principal: Principal) =>
    conversations.open(namedConversation(conversation, principal));

  return {
    async of(conversation: string | null, principal: Principal): Promise<string> {
      if (conversation === null) return "{}";
      return JSON.stringify(slot.read(await open(conversation, principal)) ?? {});
    },
    async keep(conversation: string | null, principal: Principal, json: string): Promise<void> {
      if (conversation === null) return;
      await slot.change(await open(conversation, principal), () => JSON.parse(json) as JsonObject);
    },
  };
}
