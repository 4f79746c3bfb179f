import { useSyncExternalStore } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./class-names.ts";
import { X } from "./icons.ts";
import { messageOf } from "./states.tsx";

type Action = { text: string; act: () => void };
type Toast = { id: number; tone: "good" | "bad" | "neutral"; text: string; action?: Action | undefined };

/** Long enough to read; errors stay until dismissed. */
const shownMs = 5_000;
/** Long enough to decide. */
const withActionMs = 20_000;
const maxAtOnce = 4;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const tell of listeners) tell();
}

function dismiss(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Shows a short notice, with an action such as Undo. */
export function toast(text: string, tone: Toast["tone"] = "good", action?: Action): void {
  lastId += 1;
  const id = lastId;
  change([...toasts, { id, tone, text, action }].slice(-maxAtOnce));
  if (tone !== "bad") setTimeout(() => dismiss(id), action ? withActionMs : shownMs);
}

export function toastError(error: unknown): void {
  toast(messageOf(error), "bad");
}

const looks = { good: "border-good/40", bad: "border-bad/50", neutral: "border-line" } as const;

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed inset-x-3 bottom-16 z-50 flex flex-col items-end gap-2 md:bottom-4"
    >
      {shown.map(({ id, tone, text, action }) => (
        <div
          key={id}
          role={tone === "bad" ? "alert" : "status"}
          className={classes(
            "pointer-events-auto flex max-w-md items-start gap-2 rounded-lg border bg-surface py-1.5 pl-3 pr-1.5 text-[13px] shadow-lg",
            looks[tone],
          )}
        >
          <span className={classes("break-words py-1.5", tone === "bad" && "text-bad")}>{text}</span>
          {action && (
            <button
              type="button"
              className="rounded px-2 py-1.5 font-medium text-accent hover:underline"
              onClick={() => {
                dismiss(id);
                action.act();
              }}
            >
              {action.text}
            </button>
          )}
          <IconButton label="Dismiss" icon={X} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
