import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { keepFlag } from "../parts/kept-flags.ts";
import { phoneLinks } from "./navigation.ts";

/** Beside an entry of the side bar, or at the bottom where there is none. */
const hints = [
  {
    page: "/servers",
    title: "Servers",
    text: "Add, edit and examine MCP servers. One that fails says what to try.",
  },
  {
    page: "/tools",
    title: "Tools",
    text: "All tools of all servers: search them, see their risk, switch them off.",
  },
  { page: "/try", title: "Try", text: "Run any tool by hand, with a form made from its schema." },
  {
    page: "/approvals",
    title: "Approvals",
    text: "Calls that the policy asks about wait here: approve, reject or change them.",
  },
  {
    page: "/calls",
    title: "Calls",
    text: "Every call with its stages and attempts. Ctrl K, or More on a phone, finds all of it from anywhere.",
  },
] as const;

let step: number | null = null;
const listeners = new Set<() => void>();

function goToStep(next: number | null): void {
  step = next !== null && next < hints.length ? next : null;
  if (step === null) keepFlag("tour-seen");
  for (const listener of listeners) listener();
}

export function startTour(): void {
  goToStep(0);
}

/** Five hints, one at a time, that can be dismissed at each. */
export function Tour() {
  const stepIndex = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => step,
  );
  const hint = stepIndex === null ? undefined : hints[stepIndex];
  const [position, setPosition] = useState<{ left: number; top: number } | null>(null);
  useLayoutEffect(() => {
    const box =
      hint &&
      document.querySelector(`aside nav a[href="/workbench${hint.page}"]`)?.getBoundingClientRect();
    setPosition(box && box.width > 0 ? { left: box.right + 12, top: box.top - 8 } : null);
  }, [hint]);
  useEffect(() => {
    if (stepIndex === null) return;
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && goToStep(null);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [stepIndex]);
  if (stepIndex === null || hint === undefined) return null;
  const isUnderMore = position === null && !phoneLinks.some(({ to }) => to === hint.page);
  const isLast = stepIndex === hints.length - 1;
  return (
    <section
      aria-label="Tour"
      style={position ?? { left: 12, bottom: 76 }}
      className="fixed z-40 flex w-72 flex-col gap-2 rounded-lg border border-accent bg-surface p-3 text-sm shadow-2xl"
    >
      <p role="status">
        <span className="font-semibold">{hint.title}.</span> {hint.text}{" "}
        {isUnderMore && "On a phone it is under More."}
      </p>
      <div className="flex items-center gap-2">
        <span className="mr-auto text-xs text-muted">
          {stepIndex + 1} of {hints.length}
        </span>
        <Button variant="quiet" onClick={() => goToStep(null)}>
          {isLast ? "Close" : "Skip"}
        </Button>
        {!isLast && (
          <Button variant="primary" autoFocus onClick={() => goToStep(stepIndex + 1)}>
            Next
          </Button>
        )}
      </div>
    </section>
  );
}
