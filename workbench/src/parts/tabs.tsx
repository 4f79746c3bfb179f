import { Tabs as Base } from "@base-ui/react/tabs";
import { type ReactNode, useState } from "react";

export type Tab = { name: string; title: ReactNode; content: ReactNode };

type TabsProps = {
  label: string;
  tabs: readonly Tab[];
  value?: string;
  onChange?: (name: string) => void;
};

/** Views of the same thing; the arrow keys go from one to the next and show it. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const [ownTab, setOwnTab] = useState(tabs[0]?.name ?? "");
  const choose = (name: string) => {
    setOwnTab(name);
    onChange?.(name);
  };
  return (
    <Base.Root
      value={value ?? ownTab}
      onValueChange={choose}
      className="flex min-h-0 flex-col gap-4"
    >
      <Base.List
        activateOnFocus
        aria-label={label}
        className="relative flex gap-1 overflow-x-auto overflow-y-hidden border-b border-line"
      >
        {tabs.map(({ name, title }) => (
          <Base.Tab
            key={name}
            value={name}
            className="whitespace-nowrap px-3 py-2 text-sm font-medium text-muted hover:text-ink focus-visible:-outline-offset-2 data-active:text-ink"
          >
            {title}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) rounded-full bg-accent transition-all duration-150 ease-calm" />
      </Base.List>
      {tabs.map(({ name, content }) => (
        <Base.Panel key={name} value={name} className="min-w-0">
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
