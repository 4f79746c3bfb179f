export type Section = {
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
export function createSection(tell: (text: string) => void, options: { keepsFirstFence: boolean }): Section {
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
