export type Thinking = { push(text: string): void; end(): void };

const opening = "<think>";
const closing = "</think>";
/** Nobody begins so far in. */
const maxSpace = 64;

/**
 * Models that think aloud may put it before everything else, between tags. Whatever is written there has no
 * structure; what comes after it is passed on.
 */
export function createThinking(to: {
  think(text: string): void;
  done(): void;
  speak(text: string): void;
}): Thinking {
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
