import { type Action, createActionReader } from "./action.ts";
import { createReactLexer, type ReactToken } from "./lines.ts";

const opening = "<think>";
const closing = "</think>";
const maxSpace = 64;

/** Models may think aloud first, between tags; that text has no structure. */
function createThinking(listener: {
  think(text: string): void;
  done(): void;
  speak(text: string): void;
}) {
  let state: "before" | "in" | "after" = "before";
  let waiting = "";

  function read(isEnd: boolean): void {
    if (state === "before") {
      const start = waiting.trimStart();
      const isFar = waiting.length - start.length > maxSpace;
      if (start.startsWith(opening) && !isFar) {
        state = "in";
        waiting = start.slice(opening.length);
      } else if (isEnd || isFar || !opening.startsWith(start)) state = "after";
    }
    if (state === "in") think(isEnd);
    if (state === "after") listener.speak(take(waiting.length));
  }

  function think(isEnd: boolean): void {
    const end = waiting.indexOf(closing);
    if (end < 0) {
      const safeLength = Math.max(0, waiting.length - closing.length + 1);
      return listener.think(take(isEnd ? waiting.length : safeLength));
    }
    listener.think(take(end));
    take(closing.length);
    listener.done();
    state = "after";
  }

  function take(count: number): string {
    const text = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return text;
  }

  return {
    push(text: string): void {
      waiting += text;
      read(false);
    },
    end: () => read(true),
  };
}

/** What a model wanted in one turn: an action or an answer, and neither where there is a problem. */
export type ReactTurn = {
  thought: string;
  action: Action | null;
  answer: string | null;
  problem: string | null;
  /** A thought or prose without an action or an answer. */
  isOnlyThought?: true;
};

type OnText = (type: "thought" | "answer", text: string) => void;

/** Reads `Thought`, then `Action` with `Args` or `Final Answer`, in pieces, and tells thought and answer early. */
export function createReactReader(onText: OnText = () => {}) {
  const thought = createSection((text) => onText("thought", text), { keepsFirstFence: false });
  const answer = createSection((text) => onText("answer", text), { keepsFirstFence: true });
  const action = createActionReader();
  let part: "thought" | "action" | "answer" = "thought";
  let isOver = false;

  function readThought(token: ReactToken): void {
    const { label, mark } = token.kind === "label" ? token : { label: null, mark: "" };
    if (label === "thought") thought.begin(mark);
    else if (label === "action" || label === "answer") {
      thought.end();
      part = label;
      if (label === "answer") answer.begin(mark);
    } else if (token.kind === "fence") thought.fence(token.text);
    else thought.write(token.text);
  }

  function readAction(token: ReactToken): void {
    const next = action.hear(token);
    if (next === "over") isOver = true;
    if (next !== "answer") return;
    part = "answer";
    answer.begin(token.kind === "label" ? token.mark : "");
  }

  /** What tools say is never for the model to write: from there on it makes things up. */
  function readAnswer(token: ReactToken): void {
    if (token.kind === "label" && token.label === "observation") isOver = true;
    else if (token.kind === "fence") answer.fence(token.text);
    else answer.write(token.text);
  }

  const hear = { thought: readThought, action: readAction, answer: readAnswer };
  const lines = createReactLexer((token) => {
    if (!isOver) hear[part](token);
  });
  const thinking = createThinking({
    think: thought.write,
    done: () => thought.begin(""),
    speak: lines.push,
  });

  return {
    push(text: string): void {
      if (!isOver) thinking.push(text.replaceAll("\r", ""));
    },
    end(): ReactTurn {
      thinking.end();
      lines.end();
      const turn = { thought: thought.end(), action: null, answer: null, problem: null };
      if (part === "answer") {
        const text = answer.end();
        if (text === "") return { ...turn, problem: "The Final Answer is empty." };
        return { ...turn, answer: text };
      }
      if (part === "action") {
        const actionOrProblem = action.end();
        if ("problem" in actionOrProblem) return { ...turn, ...actionOrProblem };
        return { ...turn, action: actionOrProblem };
      }
      if (turn.thought === "") return { ...turn, problem: "Nothing was said." };
      return {
        ...turn,
        problem: "There is neither an Action nor a Final Answer.",
        isOnlyThought: true,
      };
    },
  };
}

/** Parses a complete text. */
export function parseReact(text: string): ReactTurn {
  const reader = createReactReader();
  reader.push(text);
  return reader.end();
}

/**
 * A thought or an answer: told as early as is safe, trimmed, and without a last fence or mark that closes what was
 * opened elsewhere. `end` returns all that was emitted.
 */
function createSection(emit: (text: string) => void, options: { keepsFirstFence: boolean }) {
  let emittedText = "";
  let waiting = "";
  /** Stands before the next text, where there was one before it. */
  let separator = "";
  let mark = "";
  let isStarted = false;
  let fences = 0;
  let isFenceWaiting = false;

  function flush(text: string): void {
    const end = endOf(text, mark);
    waiting = text.slice(end);
    isFenceWaiting = false;
    isStarted = true;
    if (end === 0) return;
    emittedText += text.slice(0, end);
    emit(text.slice(0, end));
  }

  /** Emits what was buffered, except for what closes something that was opened outside. */
  function settle(): void {
    const isLoose = isFenceWaiting
      ? fences % 2 === 1
      : waiting.trim() === mark && isEven(emittedText, mark);
    if (isFenceWaiting && isLoose) fences--;
    mark = "";
    if (!isLoose && waiting.trim() !== "") flush(waiting);
    isFenceWaiting = false;
    waiting = "";
  }

  return {
    write(text: string): void {
      if (!isStarted && text.trim() === "") return;
      const addition = isStarted ? text : separator + text.trimStart();
      isStarted = true;
      if (endOf(text, mark) === 0) waiting += addition;
      else flush(waiting + addition);
    },
    /** A line that is only a code fence. */
    fence(line: string): void {
      if (!isStarted && !options.keepsFirstFence) return;
      if (isFenceWaiting) flush(waiting);
      waiting = isStarted ? waiting + line : separator + line.trimStart();
      isStarted = true;
      fences++;
      isFenceWaiting = true;
    },
    /** The next text starts on a new line, behind a label that may have opened a mark. */
    begin(opened: string): void {
      settle();
      mark = opened;
      separator = emittedText === "" ? "" : "\n";
      isStarted = false;
    },
    end(): string {
      settle();
      return emittedText;
    },
  };
}

/** Where the space at the end of a text begins, and with it what could close a mark. */
function endOf(text: string, mark: string): number {
  if (mark === "") return text.trimEnd().length;
  let end = text.length;
  while (end > 0 && /[\s*_]/.test(text.charAt(end - 1))) end--;
  return end;
}

function isEven(text: string, mark: string): boolean {
  return mark === "" || text.split(mark).length % 2 === 1;
}
