import { useQueryClient } from "@tanstack/react-query";
import { sessionQuery } from "../api/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Search } from "../parts/icons.ts";
import { CommandPalette } from "./command-palette.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { Foot, PageLinks } from "./side-bar.tsx";
import { SignInOptions } from "./sign-in.tsx";
import { Toasts } from "./toasts.tsx";
import { Tour } from "./tour.tsx";
import type { WaitingCounts } from "./waiting-counts.ts";

export type Overlay = "palette" | "menu" | null;

type OverlaysProps = {
  overlay: Overlay;
  onShow: (overlay: Overlay) => void;
  counts: WaitingCounts;
  /** Who was signed in, where the session has ended. */
  endedSession: { user: string | null } | null;
};

/** Dialogs and menus over the pages. They are loaded after the first page, or when a person asks for one. */
export function Overlays({ overlay, onShow, counts, endedSession }: OverlaysProps) {
  return (
    <>
      {overlay === "palette" && <CommandPalette onClose={() => onShow(null)} />}
      <PhoneMenu open={overlay === "menu"} counts={counts} onShow={onShow} />
      <ShortcutHelp />
      <Tour />
      <Toasts />
      {endedSession && <SignInAgain user={endedSession.user} />}
    </>
  );
}

type MenuProps = { open: boolean; counts: WaitingCounts; onShow: (overlay: Overlay) => void };

/** The pages that the bar of a phone has no room for. */
function PhoneMenu({ open, counts, onShow }: MenuProps) {
  return (
    <Dialog open={open} onClose={() => onShow(null)} title="Toolplane">
      <button
        type="button"
        onClick={() => onShow("palette")}
        className="mb-3 flex h-10 items-center gap-2 px-2 text-sm text-accent"
      >
        <Search aria-hidden className="size-4" />
        Find a page or a tool
      </button>
      <PageLinks counts={counts} onGo={() => onShow(null)} />
      <Foot />
    </Dialog>
  );
}

/** The sign-in when a session has ended. It lies over the page, which keeps what a person typed. */
function SignInAgain({ user }: { user: string | null }) {
  const client = useQueryClient();
  const goOn = async () => {
    const session = await client.fetchQuery({ ...sessionQuery(), staleTime: 0 });
    if (session.user !== user) location.reload();
  };
  return (
    <Dialog open onClose={() => void goOn().catch(() => undefined)} title="Your session is over">
      <div className="flex flex-col gap-4">
        <p className="text-sm text-muted">Sign in again to go on. What you typed is still here.</p>
        <SignInOptions onDone={() => void goOn()} returnPath="/sign-in/again" isAgain />
      </div>
    </Dialog>
  );
}
