import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import { serversQuery } from "../api/queries.ts";
import { endSession, sessionQuery } from "../api/session.ts";
import { IconButton } from "../parts/button.tsx";
import { Ellipsis, LogOut, Menu, Monitor, Moon, Search, Sun } from "../parts/icons.ts";
import { firstPaths, type PageLink, pageLinks, phoneLinks } from "./navigation.ts";
import { type Theme, themes, useTheme } from "./theme.ts";
import type { WaitingCounts } from "./waiting-counts.ts";

type SideProps = { counts: WaitingCounts; onSearch: () => void };
type PhoneProps = { counts: WaitingCounts; onMore: () => void };

export function SideBar({ counts, onSearch }: SideProps) {
  return (
    <aside className="hidden w-56 shrink-0 flex-col border-r border-line md:flex">
      <div className="flex items-center gap-2.5 px-5 pb-2 pt-5">
        <img src="/workbench/icon.svg" alt="" className="size-6" />
        <span className="text-lg font-bold tracking-tight">Toolplane</span>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 my-2 flex h-9 items-center gap-2 rounded-md border border-line bg-surface px-2.5 text-sm text-muted shadow-raised hover:text-ink"
      >
        <Search aria-hidden className="size-4" />
        Go to …
        <kbd className="ml-auto rounded border border-line px-1 font-mono text-2xs">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="min-h-0 flex-1 overflow-auto px-3 pb-3">
        <PageLinks counts={counts} />
      </nav>
      <Foot />
    </aside>
  );
}

/** The pages in their groups. Where there is no server yet, only those that are of use. */
export function PageLinks({ counts, onGo }: { counts: WaitingCounts; onGo?: () => void }) {
  const [showsAll, setShowsAll] = useState(false);
  const servers = useQuery(serversQuery()).data?.servers;
  const isShort = servers?.length === 0 && !showsAll;
  const shownLinks: readonly PageLink[] = isShort
    ? pageLinks.filter(({ to }) => firstPaths.includes(to))
    : pageLinks;
  return (
    <ul className="flex flex-col gap-px">
      {shownLinks.map((pageLink, index) => (
        <li key={pageLink.to}>
          {pageLink.group !== "" && pageLink.group !== shownLinks[index - 1]?.group && (
            <p className="px-2.5 pb-1 pt-3.5 text-2xs font-semibold text-muted">{pageLink.group}</p>
          )}
          <SideLink
            place={pageLink}
            count={counts[pageLink.to] ?? 0}
            {...withoutUndefined({ onGo })}
          />
        </li>
      ))}
      {isShort && (
        <li>
          <button
            type="button"
            onClick={() => setShowsAll(true)}
            className="flex h-8 w-full items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-sunken hover:text-ink"
          >
            <Ellipsis aria-hidden className="size-4" />
            All pages
          </button>
        </li>
      )}
    </ul>
  );
}

function SideLink({
  place: pageLink,
  count,
  onGo,
}: {
  place: PageLink;
  count: number;
  onGo?: () => void;
}) {
  const { to, label, icon: Icon } = pageLink;
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{
        className: "bg-surface font-semibold text-ink shadow-raised before:bg-accent",
      }}
      inactiveProps={{ className: "font-medium text-muted hover:bg-sunken hover:text-ink" }}
      {...withoutUndefined({ onClick: onGo })}
      className="relative flex h-8 items-center gap-2.5 rounded-md px-2.5 text-sm before:absolute before:inset-y-2 before:left-0 before:w-0.5 before:rounded-full max-md:h-10"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {label}
      <Count count={count} />
    </Link>
  );
}

function Count({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-accent-fill px-1.5 text-2xs font-semibold leading-[18px] text-white tabular-nums">
      {count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon } as const;

function ThemeSwitch() {
  const [theme, choose] = useTheme();
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] as Theme;
  return (
    <IconButton
      label={`Theme: ${theme}. Change to ${next}`}
      icon={themeIcons[theme]}
      onClick={() => choose(next)}
    />
  );
}

/** Who is here, and how the page looks. */
export function Foot() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery()).data;
  const signOut = async () => {
    await endSession();
    client.clear();
    location.reload();
  };
  return (
    <div className="flex items-center gap-1 border-t border-line px-4 py-2.5">
      <div className="min-w-0 flex-1 px-1">
        <p className="truncate text-sm font-medium">{session?.user ?? "anonymous"}</p>
        <p className="truncate text-2xs text-muted">
          {session?.scopes.at(-1) ?? "–"} · {session?.version}
        </p>
      </div>
      <ThemeSwitch />
      {session?.needsCredentials && (
        <IconButton label="Sign out" icon={LogOut} onClick={() => void signOut()} />
      )}
    </div>
  );
}

/** On a phone: the main pages at the bottom, the others behind one button. */
export function PhoneBar({ counts, onMore }: PhoneProps) {
  const linkClass =
    "relative flex min-w-0 flex-1 flex-col items-center gap-0.5 py-2 text-2xs font-medium";
  return (
    <nav aria-label="Main pages" className="flex border-t border-line bg-surface md:hidden">
      {phoneLinks.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          activeProps={{ className: "text-accent" }}
          inactiveProps={{ className: "text-muted" }}
          className={linkClass}
        >
          <Icon aria-hidden className="size-5" />
          {label}
          <span className="absolute left-1/2 top-0.5 ml-1.5">
            <Count count={counts[to] ?? 0} />
          </span>
        </Link>
      ))}
      <button type="button" onClick={onMore} className={`${linkClass} text-muted`}>
        <Menu aria-hidden className="size-5" />
        More
      </button>
    </nav>
  );
}
