import { type Action, createActionReader } from "./action.ts";
import { createLines, type Spoken } from "./lines.ts";

type Thinking = { push(text: string): void; end(): void };

const opening = "<think>";
const closing = "</think>";
const maxSpace = 64;

/**
 * Models that think aloud may put it before everything else, between tags. Whatever is written there has no
 * structure; what comes after it is passed on.
 */
function createThinking(to: { think(text: string): void; done(): void; speak(text: string): void }): Thinking {
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
    if (end < 0) {
      to.think(take(isEnd ? waiting.length : Math.max(0, waiting.length - closing.length + 1)));
      return;
    }
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
    push(text) {
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
};

type ReactReader = { push(text: string): void; end(): ReactTurn };
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

type Section = {
  write(text: string): void;
  /** A line that is only a code fence. */
  fence(line: string): void;
  /** What comes next starts on a new line, behind a label that may have opened a mark. */
  begin(mark: string): void;
  end(): string;
};

/**
 * A thought or an answer as it comes: told as early as is safe, with no space around it and without a last fence or
 * mark that closes what was opened elsewhere. All that was told together is what `end` returns.
 */
function createSection(tell: (text: string) => void, options: { keepsFirstFence: boolean }): Section {
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

  /** Tells what was held back, except for what closes something that was opened outside. */
  function settle(): void {
    const isLoose = isFenceWaiting ? fences % 2 === 1 : waiting.trim() === mark && isEven(told, mark);
    if (isFenceWaiting && isLoose) fences--;
    mark = "";
    if (!isLoose && waiting.trim() !== "") flush(waiting);
    isFenceWaiting = false;
    waiting = "";
  }

  return {
    write(text) {
      if (!isStarted && text.trim() === "") return;
      const more = isStarted ? text : between + text.trimStart();
      isStarted = true;
      if (endOf(text, mark) === 0) waiting += more;
      else flush(waiting + more);
    },
    fence(line) {
      if (!isStarted && !options.keepsFirstFence) return;
      if (isFenceWaiting) flush(waiting);
      waiting = isStarted ? waiting + line : between + line.trimStart();
      isStarted = true;
      fences++;
      isFenceWaiting = true;
    },
    begin(opened) {
      settle();
      mark = opened;
      between = told === "" ? "" : "\n";
      isStarted = false;
    },
    end() {
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
