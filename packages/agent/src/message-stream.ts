import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import type { AgentMessage } from "@toolplane/core/model/agent/agent-run";

type Type = AgentMessage["type"];
type Rest = Pick<AgentMessage, "call" | "pictures" | "result">;

/** What an agent says, piece by piece. */
export type MessageStream = {
  /** One more piece. Another type than before, or `end`, closes the message that was open. */
  say(type: Type, text: string): void;
  /** A message of one piece. */
  tell(type: Type, text: string, rest?: Rest): void;
  /** Closes what is open. */
  end(): void;
  /** Nothing comes after this. */
  endDialog(type: Type, text?: string): void;
};

export function createMessageStream(hear: (message: AgentMessage) => void): MessageStream {
  let open: { id: string; type: Type } | null = null;
  const piece = (
    id: string,
    type: Type,
    text: string,
    end: boolean,
    endOfDialog: boolean,
    rest: Rest = {},
  ) => hear({ id, type, text, end, endOfDialog, ...rest });

  function end(): void {
    if (open) piece(open.id, open.type, "", true, false);
    open = null;
  }

  return {
    say(type, text) {
      if (text === "") return;
      if (open?.type !== type) {
        end();
        open = { id: uniqueId(), type };
      }
      piece(open.id, type, text, false, false);
    },
    tell(type, text, rest) {
      end();
      piece(uniqueId(), type, text, true, false, rest);
    },
    end,
    endDialog(type, text = "") {
      if (open?.type !== type) end();
      piece(open?.id ?? uniqueId(), type, text, true, true);
      open = null;
    },
  };
}
