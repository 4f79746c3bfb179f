import { type Action, createActionReader } from "./action.ts";
import { createReactLexer, type ReactToken } from "./lines.ts";

const opening = "<think>";
const closing = "</think>";
const maxSpace = 64;

/** Models may think aloud first, between tags; that text has no structure. */
function createThinking(to: {
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
    if (state === "after") to.speak(take(waiting.length));
  }

  function think(isEnd: boolean): void {
    const end = waiting.indexOf(closing);
    if (end < 0)
      return to.think(
        take(isEnd ? waiting.length : Math.max(0, waiting.length - closing.length + 1)),
      );
    to.think(take(end));
    take(closing.length);
    to.done();
    state = "after";
  }

  function take(count: number): string {
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
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

  function readThought(spoken: ReactToken): void {
    const { label, mark } = spoken.kind === "label" ? spoken : { label: null, mark: "" };
    if (label === "thought") thought.begin(mark);
    else if (label === "action" || label === "answer") {
      thought.end();
      part = label;
      if (label === "answer") answer.begin(mark);
    } else if (spoken.kind === "fence") thought.fence(spoken.text);
    else thought.write(spoken.text);
  }

  function readAction(spoken: ReactToken): void {
    const next = action.hear(spoken);
    if (next === "over") isOver = true;
    if (next !== "answer") return;
    part = "answer";
    answer.begin(spoken.kind === "label" ? spoken.mark : "");
  }

  /** What tools say is never for the model to write: from there on it makes things up. */
  function readAnswer(spoken: ReactToken): void {
    if (spoken.kind === "label" && spoken.label === "observation") isOver = true;
    else if (spoken.kind === "fence") answer.fence(spoken.text);
    else answer.write(spoken.text);
  }

  const hear = { thought: readThought, action: readAction, answer: readAnswer };
  const lines = createReactLexer((spoken) => {
    if (!isOver) hear[part](spoken);
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
        return text === ""
          ? { ...turn, problem: "The Final Answer is empty." }
          : { ...turn, answer: text };
      }
      if (part === "action") {
        const read = action.end();
        return "problem" in read ? { ...turn, ...read } : { ...turn, action: read };
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
function createSection(tell: (text: string) => void, options: { keepsFirstFence: boolean }) {
  let told = "";
  let waiting = "";
  /** Stands before the next text, where there was one before it. */
  let between = "";
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
    told += text.slice(0, end);
    tell(text.slice(0, end));
  }

  /** Emits what was buffered, except for what closes something that was opened outside. */
  function settle(): void {
    const isLoose = isFenceWaiting
      ? fences % 2 === 1
      : waiting.trim() === mark && isEven(told, mark);
    if (isFenceWaiting && isLoose) fences--;
    mark = "";
    if (!isLoose && waiting.trim() !== "") flush(waiting);
    isFenceWaiting = false;
    waiting = "";
  }

  return {
    write(text: string): void {
      if (!isStarted && text.trim() === "") return;
      const more = isStarted ? text : between + text.trimStart();
      isStarted = true;
      if (endOf(text, mark) === 0) waiting += more;
      else flush(waiting + more);
    },
    /** A line that is only a code fence. */
    fence(line: string): void {
      if (!isStarted && !options.keepsFirstFence) return;
      if (isFenceWaiting) flush(waiting);
      waiting = isStarted ? waiting + line : between + line.trimStart();
      isStarted = true;
      fences++;
      isFenceWaiting = true;
    },
    /** The next text starts on a new line, behind a label that may have opened a mark. */
    begin(opened: string): void {
      settle();
      mark = opened;
      between = told === "" ? "" : "\n";
      isStarted = false;
    },
    end(): string {
      settle();
      return told;
    },
  };
}

/** Where the space at the end of a text begins, and with it what could close a mark. */
function endOf(text: string, mark: string): number {
  if (mark === "") return text.trimEnd().length;
  let at = text.length;
  while (at > 0 && /[\s*_]/.test(text.charAt(at - 1))) at--;
  return at;
}

function isEven(text: string, mark: string): boolean {
  return mark === "" || text.split(mark).length % 2 === 1;
}
