import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from "react";
import { ApiError } from "../api/client.ts";
import { sessionQuery } from "../api/session.ts";
import { usePageTitle } from "../parts/page-title.ts";
import { Failed, Loading } from "../parts/states.tsx";
import { useApprovalAlerts } from "./approval-alerts.ts";
import { ConnectionBanner, ProofBanner } from "./connection-banner.tsx";
import { loadOtherPages } from "./lazy-page.tsx";
import { startLiveEvents } from "./live-events.ts";
import type { Overlay, Overlays as OverlaysType } from "./overlays.tsx";
import { PhoneBar, SideBar } from "./side-bar.tsx";
import { SignIn } from "./sign-in.tsx";
import { useWaitingCounts } from "./waiting-counts.ts";

/** The frame of every page; asks for credentials first where the plane requires them. */
export function Shell() {
  const session = useQuery(sessionQuery());
  const isUnauthorized = session.error instanceof ApiError && session.error.status === 401;
  if (session.data !== undefined) {
    const endedSession = isUnauthorized ? session.data : null;
    return <Frame lastEventId={session.data.lastEventId} endedSession={endedSession} />;
  }
  if (isUnauthorized) return <SignIn />;
  if (session.error) return <Failed error={session.error} onRetry={() => void session.refetch()} />;
  return (
    <div className="p-6 md:pl-62">
      <Loading />
    </div>
  );
}

/** Dialogs and menus load after the page. Where the plane is gone by then, the page works without them. */
const Overlays = lazy(() =>
  import("./overlays.tsx").then(
    ({ Overlays: loaded }) => ({ default: loaded }),
    (): { default: typeof OverlaysType } => ({ default: () => <></> }),
  ),
);
const overlaysDelayMs = 300;

/** When the focused element disappears with its page, focus moves to the content instead of the top. */
function keepFocus(): void {
  const { activeElement, body } = document;
  if (activeElement === null || activeElement === body) document.getElementById("content")?.focus();
}

function isTyping({ target, ctrlKey, metaKey }: KeyboardEvent): boolean {
  const isInField =
    target instanceof Element && target.closest("input, textarea, select, [role=dialog]") !== null;
  return isInField || ctrlKey || metaKey;
}

type FrameProps = { lastEventId: number; endedSession: { user: string | null } | null };

function Frame({ lastEventId, endedSession }: FrameProps) {
  const router = useRouter();
  const client = useQueryClient();
  const counts = useWaitingCounts();
  const waitingCount = counts["/approvals"];
  const [overlay, setOverlay] = useState<Overlay>(null);
  const [isSettled, setSettled] = useState(false);
  const firstEventId = useRef(lastEventId);
  useApprovalAlerts();
  // A layout effect runs before the queries of the page are sent: no event falls between.
  useLayoutEffect(() => startLiveEvents(client, firstEventId.current), [client]);
  useEffect(() => loadOtherPages(), []);
  useEffect(() => {
    const timer = setTimeout(setSettled, overlaysDelayMs, true);
    return () => clearTimeout(timer);
  }, []);
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
    document.title = waitingCount > 0 ? `(${waitingCount}) ${name}` : name;
  }, [waitingCount, title]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event)) {
        setSettled(true);
        return void import("./shortcut-help.tsx").then(({ showShortcuts }) => showShortcuts());
      }
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOverlay("palette");
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
        <SideBar counts={counts} onSearch={() => setOverlay("palette")} />
        <div className="flex min-w-0 flex-1 flex-col">
          <ConnectionBanner />
          <ProofBanner />
          <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <PhoneBar counts={counts} onMore={() => setOverlay("menu")} />
      {(isSettled || overlay !== null || endedSession !== null) && (
        <Suspense>
          <Overlays
            overlay={overlay}
            onShow={setOverlay}
            counts={counts}
            endedSession={endedSession}
          />
        </Suspense>
      )}
    </div>
  );
}
