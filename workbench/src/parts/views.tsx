import { type ReactNode, useState } from "react";
import { classes } from "./class-names.ts";
import type { IconType } from "./icons.ts";

export type View = { name: string; icon: IconType; show: () => ReactNode };

/** The same thing in several ways; the first is the best. */
export function Views({ label, views }: { label: string; views: readonly View[] }) {
  const [chosenIndex, setChosenIndex] = useState(0);
  return (
    <div data-views className="flex min-w-0 flex-col gap-2">
      <fieldset aria-label={label} data-bar className="flex self-end rounded-md bg-sunken p-0.5">
        {views.map(({ name, icon: Icon }, index) => (
          <button
            key={name}
            type="button"
            aria-pressed={index === chosenIndex}
            onClick={() => setChosenIndex(index)}
            className={classes(
              "flex h-6 items-center gap-1.5 rounded px-2 text-xs font-medium",
              index === chosenIndex
                ? "bg-surface text-ink shadow-raised"
                : "text-muted hover:text-ink",
            )}
          >
            <Icon aria-hidden className="size-3.5" />
            {name}
          </button>
        ))}
      </fieldset>
      {views[chosenIndex]?.show()}
    </div>
  );
}
