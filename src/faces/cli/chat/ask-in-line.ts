import { serialized } from "../../../lib/async/once.ts";
import type { Answer, AskHere } from "../../../model/calls/held-call.ts";
import { choicesFor, readAnswer } from "../approval-answer.ts";
import { renderApproval } from "../approval-view.ts";
import { colors } from "../colors.ts";
import { print, printWarning } from "../output.ts";
import type { Chat } from "./chat-state.ts";

/** Puts a call that waits to whoever types here, on a line of its own. */
export function askInLine(chat: Pick<Chat, "ask" | "putBack" | "signal">): AskHere {
  const { ask, putBack, signal: cancelled } = chat;
  // Calls of one turn run at once; a person is asked about one after the other.
  return serialized<Parameters<AskHere>, Answer | null>(async (held, signal, problem) => {
    if (signal.aborted) return null;
    if (problem === null) print(renderApproval(held, Date.now()));
    else printWarning(problem);
    const choices = choicesFor(held, false);
    for (;;) {
      const line = await ask(colors.yellow(`Shall it run? ${choices}: `), signal);
      if (signal.aborted && !cancelled.aborted) print("Somebody else has answered, or nobody waits any more.");
      const answer = line === null ? null : readAnswer(line, { ...held, allowEdit: false });
      if (answer !== undefined && answer !== "edit") return answer;
      if (line?.startsWith("/")) {
        putBack(line);
        print("It goes on waiting.");
        return null;
      }
      print(`Say ${choices}.`);
    }
  });
}
