import { type ReactNode, useEffect, useRef } from "react";
import { classes } from "./class-names.ts";
import { setPageTitle } from "./page-title.ts";

type PageProps = {
  title: ReactNode;
  /** A line below the title. */
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The content fills the window and scrolls itself, as tables do. */
  fill?: boolean;
};

/** The frame of every page: title, actions, content. */
export function Page({ title, about, actions, children, fill = false }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The first text is the name; badges follow.
  useEffect(() => setPageTitle(heading.current?.firstChild?.textContent?.trim() ?? ""));
  return (
    <div
      className={classes(
        "mx-auto flex w-full min-w-0 max-w-[1680px] flex-col gap-4 p-4 md:gap-5 md:px-8 md:py-6",
        fill && "h-full min-h-0",
      )}
    >
      <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h1
            ref={heading}
            className="flex flex-wrap items-center gap-2 break-words text-xl font-bold tracking-tight"
          >
            {title}
          </h1>
          {about !== undefined && <div className="mt-0.5 text-sm text-muted">{about}</div>}
        </div>
        {actions !== undefined && (
          <div className="flex flex-wrap items-center gap-2">{actions}</div>
        )}
      </header>
      {children}
    </div>
  );
}

type PanelProps = {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  className?: string;
};

/** A section of a page. `flush` removes the padding. */
export function Panel({ title, actions, children, flush = false, className }: PanelProps) {
  return (
    <section
      className={classes(
        "min-w-0 rounded-lg border border-line bg-surface shadow-raised",
        className,
      )}
    >
      {title !== undefined && (
        <div className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <h2 className="text-sm font-semibold">{title}</h2>
          {actions !== undefined && (
            <div className="flex flex-wrap items-center gap-2">{actions}</div>
          )}
        </div>
      )}
      <div className={flush ? "overflow-clip rounded-b-lg" : "p-4"}>{children}</div>
    </section>
  );
}

/** A list of names and values. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(90px,max-content)_1fr] gap-x-4 gap-y-2 text-sm">
      {items
        .filter(
          ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
        )
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}
