import { type KeyboardEvent, useEffect, useRef, useState } from "react";

/** Rows that Page Up and Page Down go by. */
const screenful = 10;
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: screenful,
  PageUp: -screenful,
};

/**
 * Keys of a search go through its results: arrows move, Enter opens, the first where none was chosen. Another `question`
 * starts again. While the answer is on its way `rows` is empty, so that nobody opens what an earlier letter found; an Enter
 * that is too early waits for it.
 */
export function useActiveRow<Row>(
  rows: readonly Row[],
  question: unknown,
  onOpen: (row: Row) => void,
) {
  const [position, setPosition] = useState<{ at: number; of: unknown } | null>(null);
  const activeIndex =
    position !== null && position.of === question && position.at < rows.length ? position.at : null;
  const earlyQuestion = useRef<unknown>(null);
  useEffect(() => {
    if (earlyQuestion.current !== question || rows.length === 0) return;
    earlyQuestion.current = null;
    onOpen(rows[0] as Row);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, nativeEvent } = event;
    // Enter and arrows also choose among the words of an input method.
    if (ctrlKey || metaKey || altKey || nativeEvent.isComposing) return;
    if (rows.length === 0) {
      earlyQuestion.current = key === "Enter" ? question : null;
      return;
    }
    const step = steps[key];
    if (step !== undefined) {
      event.preventDefault();
      const nextIndex = activeIndex === null ? Math.max(0, step - 1) : activeIndex + step;
      setPosition(
        nextIndex < 0 ? null : { at: Math.min(nextIndex, rows.length - 1), of: question },
      );
    } else if (key === "Enter") onOpen(rows[activeIndex ?? 0] as Row);
    else if (key === "Escape" && activeIndex !== null) {
      event.preventDefault();
      setPosition(null);
    }
  };
  return { active: activeIndex, onKeyDown };
}
