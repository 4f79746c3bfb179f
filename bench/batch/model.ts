/** A model in a process of its own, so that it takes no CPU time of the measured process: three calls, then an answer. */
import { startScriptedModel } from "../../test/fixtures/llm-script.ts";
import { callsOf } from "./work.ts";

type Message = { role: string; content: string };

const { url } = await startScriptedModel({
  responses: ({ messages }) => {
    const all = messages as Message[];
    if (all.at(-1)?.role === "tool") return { kind: "text", text: "Done." };
    const prompt = Number(/\d+/.exec(all.at(-1)?.content ?? "")?.[0]);
    const calls = callsOf(prompt).map(({ server, message }) => ({
      name: `${server}__echo`,
      arguments: { message },
    }));
    return { kind: "tools", calls };
  },
});
process.stdout.write(`${url}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
