import { useSyncExternalStore } from "react";
import { Dialog } from "../parts/dialog.tsx";

let isOpen = false;
const listeners = new Set<() => void>();

function setShortcutsOpen(next: boolean): void {
  isOpen = next;
  for (const listener of listeners) listener();
}

export const showShortcuts = () => setShortcutsOpen(true);

const shortcuts: [where: string, keys: [keys: string, does: string][]][] = [
  [
    "Everywhere",
    [
      ["Ctrl K", "Find a page, a server, a tool or an action"],
      ["?", "Show this list"],
      ["Esc", "Close a dialog"],
    ],
  ],
  [
    "Approvals",
    [
      ["J K", "Next, previous call"],
      ["A", "Approve, once the end of the call is in sight"],
      ["R", "Reject"],
      ["E", "Change the arguments"],
    ],
  ],
  ["Policy", [["Alt ↑ ↓", "Move the rule up, down"]]],
  ["Try", [["Ctrl ⏎", "Run"]]],
  [
    "Results",
    [
      ["V", "As they came, or rendered"],
      ["⏎ Shift ⏎", "Next, previous match in a large one"],
    ],
  ],
];

/** The list of shortcuts, behind `?`. */
export function ShortcutHelp() {
  const open = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isOpen,
  );
  return (
    <Dialog open={open} onClose={() => setShortcutsOpen(false)} title="Keyboard shortcuts">
      <div className="flex flex-col gap-4 text-sm">
        {shortcuts.map(([where, keys]) => (
          <section key={where}>
            <h3 className="mb-1 text-xs font-medium text-muted">{where}</h3>
            <dl className="grid grid-cols-[110px_1fr] gap-y-1.5">
              {keys.map(([key, does]) => (
                <div key={key} className="contents">
                  <dt className="font-mono text-xs leading-5">{key}</dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
