import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { endSession, sessionQuery } from "../api/session.ts";
import { IconButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { LogOut, Menu, Monitor, Moon, Search, Sun } from "../parts/icons.ts";
import { type Place, phonePlaces, places } from "./navigation.ts";
import { type Theme, themes, useTheme } from "./theme.ts";
import type { WaitingCounts } from "./waiting-counts.ts";

type BarProps = { counts: WaitingCounts; onSearch: () => void };

export function SideBar({ counts, onSearch }: BarProps) {
  return (
    <aside className="hidden w-52 shrink-0 flex-col border-r border-line bg-surface md:flex">
      <div className="flex items-center gap-2 px-4 pb-2 pt-4">
        <img src="/workbench/icon.svg" alt="" className="size-6" />
        <span className="text-[15px] font-semibold tracking-tight">Toolplane</span>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mx-3 my-2 flex h-8 items-center gap-2 rounded-md border border-line px-2.5 text-[13px] text-muted hover:bg-sunken"
      >
        <Search aria-hidden className="size-4" />
        Go to …<kbd className="ml-auto font-sans text-[11px]">Ctrl K</kbd>
      </button>
      <nav aria-label="Pages" className="min-h-0 flex-1 overflow-auto px-3 pb-3">
        <Places counts={counts} />
      </nav>
      <Foot />
    </aside>
  );
}

function Places({ counts, onGo }: { counts: WaitingCounts; onGo?: () => void }) {
  return (
    <ul className="flex flex-col gap-px">
      {places.map((place, at) => (
        <li key={place.to}>
          {place.group !== "" && place.group !== places[at - 1]?.group && (
            <p className="px-2 pb-1 pt-4 text-[11px] font-medium uppercase tracking-wide text-muted">{place.group}</p>
          )}
          <PlaceLink place={place} count={counts[place.to] ?? 0} {...(onGo ? { onGo } : {})} />
        </li>
      ))}
    </ul>
  );
}

function PlaceLink({ place, count, onGo }: { place: Place; count: number; onGo?: () => void }) {
  const { to, label, icon: Icon } = place;
  return (
    <Link
      to={to}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      activeProps={{ className: "bg-accent-soft text-accent" }}
      inactiveProps={{ className: "text-ink hover:bg-sunken" }}
      {...(onGo ? { onClick: onGo } : {})}
      className="flex h-8 items-center gap-2.5 rounded-md px-2 text-[13px] font-medium"
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
    <span className="ml-auto rounded-full bg-accent-fill px-1.5 text-[11px] font-semibold leading-[18px] text-white">
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
    <IconButton label={`Theme: ${theme}. Change to ${next}`} icon={themeIcons[theme]} onClick={() => choose(next)} />
  );
}

function Foot() {
  const client = useQueryClient();
  const session = useQuery(sessionQuery()).data;
  const signOut = async () => {
    await endSession();
    client.clear();
    location.reload();
  };
  return (
    <div className="flex items-center gap-1 border-t border-line px-3 py-2">
      <div className="min-w-0 flex-1 px-1">
        <p className="truncate text-[13px] font-medium">{session?.user ?? "anonymous"}</p>
        <p className="truncate text-[11px] text-muted">
          {session?.scopes.at(-1) ?? "–"} · {session?.version}
        </p>
      </div>
      <ThemeSwitch />
      {session?.needsCredentials && <IconButton label="Sign out" icon={LogOut} onClick={() => void signOut()} />}
    </div>
  );
}

/** On a phone: the main pages at the bottom, the others behind one button. */
export function PhoneBar({ counts, onSearch }: BarProps) {
  const [open, setOpen] = useState(false);
  return (
    <nav aria-label="Main pages" className="flex border-t border-line bg-surface md:hidden">
      {phonePlaces.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeProps={{ className: "text-accent" }}
          inactiveProps={{ className: "text-muted" }}
          className="relative flex flex-1 flex-col items-center gap-0.5 py-2 text-[11px] font-medium"
        >
          <Icon aria-hidden className="size-5" />
          {label}
          <span className="absolute right-[22%] top-1">
            <Count count={counts[to] ?? 0} />
          </span>
        </Link>
      ))}
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="flex flex-1 flex-col items-center gap-0.5 py-2 text-[11px] font-medium text-muted"
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
      <Dialog open={open} onClose={() => setOpen(false)} title="Toolplane">
        <button type="button" onClick={onSearch} className="mb-3 flex items-center gap-2 px-2 text-[13px] text-accent">
          <Search aria-hidden className="size-4" />
          Find a page or a tool
        </button>
        <Places counts={counts} onGo={() => setOpen(false)} />
        <Foot />
      </Dialog>
    </nav>
  );
}
