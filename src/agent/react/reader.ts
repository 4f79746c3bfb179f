import { type Action, createActionReader } from "./action.ts";
import { createLines, type Spoken } from "./lines.ts";
import { createSection } from "./section.ts";
import { createThinking } from "./thinking.ts";

/** What a model wanted in one turn: an action or an answer, and neither where there is a problem. */
export type ReactTurn = {
  thought: string;
  action: Action | null;
  answer: string | null;
  problem: string | null;
};

export type ReactReader = { push(text: string): void; end(): ReactTurn };
type Tell = (type: "thought" | "answer", text: string) => void;

/**
 * Reads `Thought`, then `Action` with `Args` or `Final Answer`, in whatever pieces it comes. Of the thought and the
 * answer each piece is told as soon as it cannot be anything else.
 */
export function createReactReader(tell: Tell = () => {}): ReactReader {
  const thought = createSection((text) => tell("thought", text), { keepsFirstFence: false });
  const answer = createSection((text) => tell("answer", text), { keepsFirstFence: true });
  const action = createActionReader();
  let part: "thought" | "action" | "answer" = "thought";
  let isOver = false;

  function hearThought(spoken: Spoken): void {
    const label = spoken.kind === "label" ? spoken.label : null;
    const mark = spoken.kind === "label" ? spoken.mark : "";
    if (label === "thought") thought.begin(mark);
    else if (label === "action" || label === "answer") {
      thought.end();
      part = label;
      if (label === "answer") answer.begin(mark);
    } else if (spoken.kind === "fence") thought.fence(spoken.text);
    else thought.write(spoken.text);
  }

  function hearAction(spoken: Spoken): void {
    const next = action.hear(spoken);
    if (next === "over") isOver = true;
    if (next !== "answer") return;
    part = "answer";
    answer.begin(spoken.kind === "label" ? spoken.mark : "");
  }

  /** What tools say is never for the model to write: from there on it makes things up. */
  function hearAnswer(spoken: Spoken): void {
    if (spoken.kind === "label" && spoken.label === "observation") isOver = true;
    else if (spoken.kind === "fence") answer.fence(spoken.text);
    else answer.write(spoken.text);
  }

  const hear = { thought: hearThought, action: hearAction, answer: hearAnswer };
  const lines = createLines((spoken) => {
    if (!isOver) hear[part](spoken);
  });
  const thinking = createThinking({ think: thought.write, done: () => thought.begin(""), speak: lines.push });

  return {
    push(text) {
      if (!isOver) thinking.push(text.replaceAll("\r", ""));
    },
    end() {
      thinking.end();
      lines.end();
      const turn = { thought: thought.end(), action: null, answer: null, problem: null };
      if (part === "answer") return { ...turn, ...readAnswer(answer.end()) };
      return { ...turn, ...(part === "action" ? readAction(action.end()) : nothingAsked(turn.thought)) };
    },
  };
}

/** The same of a text that is there as a whole. */
export function parseReact(text: string): ReactTurn {
  const reader = createReactReader();
  reader.push(text);
  return reader.end();
}

/** The problem of a turn that is only a thought, or prose. */
export const onlyThought = "There is neither an Action nor a Final Answer.";

type Wanted = Partial<Pick<ReactTurn, "action" | "answer" | "problem">>;

function readAnswer(answer: string): Wanted {
  return answer === "" ? { problem: "The Final Answer is empty." } : { answer };
}

function readAction(action: Action | { problem: string }): Wanted {
  return "problem" in action ? action : { action };
}

function nothingAsked(thought: string): Wanted {
  return { problem: thought === "" ? "Nothing was said." : onlyThought };
}
