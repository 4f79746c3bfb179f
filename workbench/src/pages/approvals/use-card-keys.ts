import { useEffect } from "react";
import { toast } from "../../parts/toast.tsx";

const cardsOnPage = () => [...document.querySelectorAll<HTMLElement>("[data-card]")];

/** J and K go to the next and the previous card; A, R and E press Approve, Reject and Change of the focused one. */
export function useCardKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const card = document.activeElement?.closest<HTMLElement>("[data-card]") ?? null;
      if (key === "j" || key === "k") step(card, key === "j" ? 1 : -1);
      else if (card !== null && ["a", "r", "e"].includes(key)) press(card, key);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function step(from: HTMLElement | null, by: number): void {
  const cards = cardsOnPage();
  const at = from === null ? (by > 0 ? -1 : cards.length) : cards.indexOf(from);
  const next = cards[at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
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
  return target instanceof Element && target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}
