import { useEffect, useRef } from "react";
import { toast } from "../../parts/toast.ts";

/** The call that the keys answer. */
export const shownCard = () =>
  [...document.querySelectorAll<HTMLElement>("[data-card]")].findLast((card) =>
    card.checkVisibility(),
  ) ?? null;

/** J and K go to the next and the previous call; A, R and E press Approve, Reject and Change of the one that is shown. */
export function useCardKeys(onStep: (by: 1 | -1) => void): void {
  const step = useRef(onStep);
  step.current = onStep;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target))
        return;
      const key = event.key.toLowerCase();
      const card = shownCard();
      if (key === "j" || key === "k") step.current(key === "j" ? 1 : -1);
      else if (card !== null && ["a", "r", "e"].includes(key)) press(card, key);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

/** Approve stands below all that would run. While it is out of sight, the key only goes there. */
function press(card: HTMLElement, key: string): void {
  const button = card.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`);
  if (button === null || button.disabled) return;
  if (key !== "a" || isInView(button)) return button.click();
  button.scrollIntoView({ block: "center" });
  toast("Read to the end, then press A again.", "neutral");
}

/** Scrolling rounds. */
const tolerance = 4;

function isInView(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  const frame = document.getElementById("content")?.getBoundingClientRect();
  return frame !== undefined && top >= frame.top - tolerance && bottom <= frame.bottom + tolerance;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      "input:not([type=checkbox]), textarea, select, [contenteditable], [role=dialog]",
    ) !== null
  );
}
