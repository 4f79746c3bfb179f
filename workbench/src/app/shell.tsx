import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { sessionQuery } from "../api/session.ts";
import { usePageTitle } from "../parts/page-title.ts";
import { Failed, Loading } from "../parts/states.tsx";
import { Toasts } from "../parts/toast.tsx";
import { useApprovalAlerts } from "./approval-alerts.ts";
import { CommandPalette } from "./command-palette.tsx";
import { ConnectionBanner, ProofBanner } from "./connection-banner.tsx";
import { loadRest } from "./lazy-page.tsx";
import { startLiveEvents } from "./live-events.ts";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { PhoneBar, SideBar } from "./side-bar.tsx";
import { SignIn, SignInAgain } from "./sign-in.tsx";
import { Tour } from "./tour.tsx";
import { useWaitingCounts } from "./waiting-counts.ts";

/** The frame of every page; asks for credentials first where the plane requires them. */
export function Shell() {
  const session = useQuery(sessionQuery());
  const isOver = session.error instanceof ApiError && session.error.status === 401;
  if (session.data !== undefined)
    return (
      <>
        <Frame lastEventId={session.data.lastEventId} />
        {isOver && <SignInAgain user={session.data.user} />}
      </>
    );
  if (isOver) return <SignIn />;
  return session.error ? <Failed error={session.error} onRetry={() => void session.refetch()} /> : <Loading />;
}

/** When the focused element disappears with its page, focus moves to the content instead of the top. */
function keepFocus(): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) document.getElementById("content")?.focus();
}

function Frame({ lastEventId }: { lastEventId: number }) {
  const router = useRouter();
  const client = useQueryClient();
  const counts = useWaitingCounts();
  const waiting = counts["/approvals"];
  const [searching, setSearching] = useState(false);
  const begin = useRef(lastEventId);
  useApprovalAlerts();
  // A layout effect runs before the queries of the page are sent: no event falls between.
  useLayoutEffect(() => startLiveEvents(client, begin.current), [client]);
  useEffect(() => loadRest(), []);
  useEffect(
    () =>
      router.subscribe("onResolved", ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged) keepFocus();
      }),
    [router],
  );
  const title = usePageTitle();
  useEffect(() => {
    const name = title === "" ? "Toolplane" : `${title} · Toolplane`;
    document.title = waiting > 0 ? `(${waiting}) ${name}` : name;
  }, [waiting, title]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setSearching(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#content"
        className="absolute left-2 top-2 z-50 -translate-y-20 rounded-md bg-accent-fill px-3 py-1.5 text-white focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className="flex min-h-0 flex-1">
        <SideBar counts={counts} onSearch={() => setSearching(true)} />
        <div className="flex min-w-0 flex-1 flex-col">
          <ConnectionBanner />
          <ProofBanner />
          <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <PhoneBar counts={counts} onSearch={() => setSearching(true)} />
      {searching && <CommandPalette onClose={() => setSearching(false)} />}
      <ShortcutHelp />
      <Tour />
      <Toasts />
    </div>
  );
}
