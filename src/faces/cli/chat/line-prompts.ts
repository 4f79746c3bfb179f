import { plainText } from "../../../lib/text/plain-text.ts";
import { colors } from "../colors.ts";
import { declined, type Prompts } from "../fill-in.ts";
import { print } from "../output.ts";
import type { Chat } from "./chat-state.ts";

/** Questions on a line of their own. A verb there is no answer: it declines, and is run afterwards. */
export function createLinePrompts({ ask, putBack }: Pick<Chat, "ask" | "putBack">, signal: () => AbortSignal): Prompts {
  const askLine = async (prompt: string): Promise<string | typeof declined> => {
    const line = await ask(colors.yellow(`${prompt}: `), signal());
    if (line === null) return declined;
    if (!line.startsWith("/")) return line.trim();
    putBack(line);
    print("It is declined.");
    return declined;
  };
  return {
    async confirm(message, usual) {
      const choices = usual === undefined ? "yes or no" : `yes or no, usually ${usual ? "yes" : "no"}`;
      for (;;) {
        const line = await askLine(`${message} (${choices})`);
        if (line === declined) return declined;
        if (/^y(?:es)?$/i.test(line)) return true;
        if (/^no?$/i.test(line)) return false;
        if (line === "" && usual !== undefined) return usual;
        print("Say yes or no.");
      }
    },
    async choose(message, values, isRequired) {
      const names = values.map((value) => plainText(String(value)));
      for (;;) {
        const line = await askLine(`${message} (${names.join(", ")})`);
        if (line === declined) return declined;
        const at = names.findIndex((name) => name.toLowerCase() === line.toLowerCase());
        if (at >= 0) return values[at];
        if (line === "" && !isRequired) return undefined;
        print(`Say one of ${names.join(", ")}.`);
      }
    },
    async write(message, { usual, isRequired }) {
      for (;;) {
        const line = await askLine(usual === undefined ? message : `${message} [${plainText(usual)}]`);
        if (line === declined) return declined;
        if (line !== "") return line;
        if (usual !== undefined || !isRequired) return usual;
        print("This is needed.");
      }
    },
  };
}
