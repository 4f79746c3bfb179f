import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export type Tab = { name: string; title: ReactNode; content: ReactNode };

type TabsProps = { label: string; tabs: readonly Tab[]; value?: string; onChange?: (name: string) => void };

/** Views of one thing beside each other, moved between with the arrow keys. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const state = value === undefined ? { defaultValue: tabs[0]?.name ?? "" } : { value };
  return (
    <Radix.Root
      {...state}
      {...(onChange ? { onValueChange: onChange } : {})}
      className="flex min-h-0 flex-col gap-4"
    >
      <Radix.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map(({ name, title }) => (
          <Radix.Trigger
            key={name}
            value={name}
            className="-mb-px focus-visible:-outline-offset-2 whitespace-nowrap border-b-2 border-transparent px-3 py-1.5 text-[13px] font-medium text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {title}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({ name, content }) => (
        <Radix.Content key={name} value={name} className="min-w-0">
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
