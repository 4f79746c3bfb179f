import { uniqueId } from "../../lib/unique-id.ts";
import type { AskedCall, TokenUsage } from "../../model/chat.ts";
import { withUniqueIds } from "../asked-calls.ts";
import { isCutOff } from "../cut-off.ts";
import { silenceOf } from "../silence.ts";
import type { Said, Style } from "../style.ts";
import { assistantMessage, toToolMessage } from "../tools-style.ts";
import { renderProblem, renderPrompt } from "./prompt.ts";
import { createReactReader, onlyThought, type ReactTurn } from "./reader.ts";
import { observationLabel, renderTranscript } from "./transcript.ts";

/** What was heard of one turn beside its text. */
type Heard = { text: string; reasoning: string; calls: AskedCall[]; usage: TokenUsage; reason: string };

/** For models without tool calling of their own: they write what they think and want, and read what came of it. */
export const reactStyle: Style = {
  name: "react",
  request: ({ messages, tools, system }) => ({
    messages: [{ role: "system", content: renderPrompt(tools, system) }, ...renderTranscript(messages)],
    stop: [`\n${observationLabel}`],
  }),
  async read(parts, voice) {
    const reader = createReactReader((type, text) => voice.say(type, text));
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const heard: Heard = { text: "", reasoning: "", calls: [], usage, reason: "unknown" };
    for await (const part of parts) {
      if (part.type === "text") {
        // What it thought apart and what it writes as its thought are two messages.
        if (heard.text === "") voice.end();
        heard.text += part.text;
        reader.push(part.text);
      } else if (part.type === "reasoning") {
        heard.reasoning += part.text;
        voice.say("thought", part.text);
      } else if (part.type === "call") heard.calls.push(part.call);
      else ({ reason: heard.reason, usage: heard.usage } = part);
    }
    return understand(reader.end(), heard);
  },
  observe(said, observations) {
    if (said.problem === null) return observations.map(toToolMessage);
    return [{ role: "user", content: `${observationLabel} ${said.problem}` }];
  },
};

function understand(read: ReactTurn, { text, reasoning, calls: native, usage, reason }: Heard): Said {
  const turn = isCutOff(reason) ? withoutHalfAction(read) : read;
  const silence = text.trim() === "" && native.length === 0 ? silenceOf(reason) : undefined;
  const calls = turn.action ? [askedCall(turn.action)] : turn.problem === null ? [] : withUniqueIds(native);
  const thought = turn.thought === "" ? reasoning.trim() : turn.thought;
  const problem = calls.length > 0 || turn.problem === null ? null : renderProblem(turn.problem, reason);
  const content = problem === null ? (turn.answer ?? "") : text;
  return {
    message: assistantMessage(content, problem === null ? thought : "", calls),
    thought,
    calls,
    answer: turn.answer,
    problem,
    ...(silence ? { silence } : {}),
    ...(problem !== null && turn.problem === onlyThought ? { prose: turn.thought } : {}),
    usage,
    reason,
  };
}

/** A reply that ended in the middle may have had arguments for it, or a longer name. */
function withoutHalfAction(turn: ReactTurn): ReactTurn {
  if (turn.action?.arguments !== "{}") return turn;
  return { ...turn, action: null, problem: "The Action was cut off before its Args." };
}

function askedCall({ name, arguments: text }: { name: string; arguments: string }): AskedCall {
  return { id: `call_${uniqueId()}`, type: "function", function: { name, arguments: text } };
}
