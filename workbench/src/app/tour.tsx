import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from "react";
import { Button } from "../parts/button.tsx";
import { keepFlag } from "../parts/kept-flags.ts";
import { phonePlaces } from "./navigation.ts";

/** Beside an entry of the side bar, or at the bottom where there is none. */
const hints = [
  {
    at: "/servers",
    title: "Servers",
    text: "Add, edit and examine MCP servers. One that fails says what to try.",
  },
  {
    at: "/tools",
    title: "Tools",
    text: "All tools of all servers: search them, see their risk, switch them off.",
  },
  { at: "/try", title: "Try", text: "Run any tool by hand, with a form made from its schema." },
  {
    at: "/approvals",
    title: "Approvals",
    text: "Calls that the policy asks about wait here: approve, reject or change them.",
  },
  {
    at: "/calls",
    title: "Calls",
    text: "Every call with its stages and attempts. Ctrl K, or More on a phone, finds all of it from anywhere.",
  },
] as const;

let step: number | null = null;
const listeners = new Set<() => void>();

function go(next: number | null): void {
  step = next !== null && next < hints.length ? next : null;
  if (step === null) keepFlag("tour-seen");
  for (const tell of listeners) tell();
}

export function startTour(): void {
  go(0);
}

/** Five hints, one at a time, that can be dismissed at each. */
export function Tour() {
  const at = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => step,
  );
  const hint = at === null ? undefined : hints[at];
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  useLayoutEffect(() => {
    const entry = hint && document.querySelector(`aside nav a[href="/workbench${hint.at}"]`);
    const box = entry?.getBoundingClientRect();
    setPlace(box && box.width > 0 ? { left: box.right + 12, top: box.top - 8 } : null);
  }, [hint]);
  useEffect(() => {
    if (at === null) return;
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && go(null);
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [at]);
  if (at === null || hint === undefined) return null;
  const isUnderMore = place === null && !phonePlaces.some(({ to }) => to === hint.at);
  const isLast = at === hints.length - 1;
  return (
    <section
      aria-label="Tour"
      style={place ?? { left: 12, bottom: 76 }}
      className="fixed z-40 flex w-72 flex-col gap-2 rounded-lg border border-accent bg-surface p-3 text-sm shadow-2xl"
    >
      <p role="status">
        <span className="font-semibold">{hint.title}.</span> {hint.text}{" "}
        {isUnderMore && "On a phone it is under More."}
      </p>
      <div className="flex items-center gap-2">
        <span className="mr-auto text-xs text-muted">
          {at + 1} of {hints.length}
        </span>
        <Button variant="quiet" onClick={() => go(null)}>
          {isLast ? "Close" : "Skip"}
        </Button>
        {!isLast && (
          <Button variant="primary" autoFocus onClick={() => go(at + 1)}>
            Next
          </Button>
        )}
      </div>
    </section>
  );
}
