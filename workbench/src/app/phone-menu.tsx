import { Dialog } from "../parts/dialog.tsx";
import { Search } from "../parts/icons.ts";
import type { Overlay } from "./overlays.tsx";
import { Foot, PageLinks } from "./side-bar.tsx";
import type { WaitingCounts } from "./waiting-counts.ts";

type MenuProps = { open: boolean; counts: WaitingCounts; onShow: (overlay: Overlay) => void };

/** The pages that the bar of a phone has no room for. */
export function PhoneMenu({ open, counts, onShow }: MenuProps) {
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
