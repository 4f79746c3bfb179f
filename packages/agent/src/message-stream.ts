import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import type { AgentMessage } from "@toolplane/core/model/agent/agent-run";

type MessageType = AgentMessage["type"];
type MessageExtras = Pick<AgentMessage, "call" | "pictures" | "result">;

/** What an agent says, piece by piece. */
export type MessageStream = {
  /** One more piece. Another type than before, or `end`, closes the message that was open. */
  say(type: MessageType, text: string): void;
  /** A message of one piece. */
  tell(type: MessageType, text: string, extras?: MessageExtras): void;
  /** Closes what is open. */
  end(): void;
  /** Nothing comes after this. */
  endDialog(type: MessageType, text?: string): void;
};

export function createMessageStream(hear: (message: AgentMessage) => void): MessageStream {
  let openMessage: { id: string; type: MessageType } | null = null;
  const emit = (
    id: string,
    type: MessageType,
    text: string,
    end: boolean,
    endOfDialog: boolean,
    extras: MessageExtras = {},
  ) => hear({ id, type, text, end, endOfDialog, ...extras });

  function end(): void {
    if (openMessage) emit(openMessage.id, openMessage.type, "", true, false);
    openMessage = null;
  }

  return {
    say(type, text) {
      if (text === "") return;
      if (openMessage?.type !== type) {
        end();
        openMessage = { id: uniqueId(), type };
      }
      emit(openMessage.id, type, text, false, false);
    },
    tell(type, text, extras) {
      end();
      emit(uniqueId(), type, text, true, false, extras);
    },
    end,
    endDialog(type, text = "") {
      if (openMessage?.type !== type) end();
      emit(openMessage?.id ?? uniqueId(), type, text, true, true);
      openMessage = null;
    },
  };
}
