import { CommandPalette } from "./command-palette.tsx";
import { PhoneMenu } from "./phone-menu.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { Toasts } from "./toasts.tsx";
import { Tour } from "./tour.tsx";
import type { WaitingCounts } from "./waiting-counts.ts";

export type Overlay = "palette" | "menu" | null;

type OverlaysProps = {
  shown: Overlay;
  onShow: (overlay: Overlay) => void;
  counts: WaitingCounts;
  /** Who was signed in, where the session has ended. */
  signedOut: { user: string | null } | null;
};

/** All that lies over the pages. It is loaded after the first of them, or when it is asked for. */
export function Overlays({ shown, onShow, counts, signedOut }: OverlaysProps) {
  return (
    <>
      {shown === "palette" && <CommandPalette onClose={() => onShow(null)} />}
      <PhoneMenu open={shown === "menu"} counts={counts} onShow={onShow} />
      <ShortcutHelp />
      <Tour />
      <Toasts />
      {signedOut && <SignInAgain user={signedOut.user} />}
    </>
  );
}
