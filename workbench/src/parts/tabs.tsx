import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { classes } from "./class-names.ts";

export type Tab = { name: string; title: ReactNode; content: ReactNode };

type TabsProps = { label: string; tabs: readonly Tab[]; value?: string; onChange?: (name: string) => void };

const steps: Record<string, (at: number, count: number) => number> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs with arrow-key navigation. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const id = useId();
  const [own, setOwn] = useState(tabs[0]?.name ?? "");
  const active = value ?? own;
  const choose = (name: string) => {
    setOwn(name);
    onChange?.(name);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.findIndex(({ name }) => name === active);
    const next = tabs[steps[event.key]?.(at, tabs.length) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    choose(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <div className="flex min-h-0 flex-col gap-4">
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={onKeyDown}
        className="flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line"
      >
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === active}
            aria-controls={`${id}-${name}-panel`}
            tabIndex={name === active ? 0 : -1}
            onClick={() => choose(name)}
            className={classes(
              "focus-visible:-outline-offset-2 whitespace-nowrap border-b-2 px-3 py-1.5 text-[13px] font-medium hover:text-ink",
              name === active ? "border-accent text-ink" : "border-transparent text-muted",
            )}
          >
            {title}
          </button>
        ))}
      </div>
      {tabs.map(({ name, content }) => (
        <div
          key={name}
          role="tabpanel"
          id={`${id}-${name}-panel`}
          aria-labelledby={`${id}-${name}`}
          hidden={name !== active}
          className="min-w-0"
        >
          {name === active && content}
        </div>
      ))}
    </div>
  );
}
