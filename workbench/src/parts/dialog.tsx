import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./class-names.ts";
import { X } from "./icons.ts";
import { Complaint } from "./states.tsx";

type DialogProps = {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  /** A drawer at the right edge. */
  side?: boolean;
  wide?: boolean;
  /** Closing would lose what was typed, so it asks first. */
  isDirty?: boolean;
};

const backdrop =
  "fixed inset-0 z-40 bg-black/35 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0";

/** It keeps the focus, closes with Escape, and begins in its first field. */
export function Dialog(props: DialogProps) {
  const {
    open,
    onClose,
    title,
    children,
    footer,
    side = false,
    wide = false,
    isDirty = false,
  } = props;
  const [isAsking, setAsking] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const leave = () => {
    if (isDirty && !isAsking) return setAsking(true);
    setAsking(false);
    onClose();
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && leave()}>
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Viewport
          className={classes(
            "fixed inset-0 z-40 flex",
            side ? "justify-end" : "items-center justify-center p-3",
          )}
        >
          <Base.Popup
            ref={popup}
            initialFocus={() => initialFocusOf(popup.current, body.current)}
            className={classes(
              "flex min-h-0 flex-col bg-raise text-ink shadow-float outline-none",
              sizeClass(side, wide),
            )}
          >
            <header className="flex items-center justify-between gap-3 py-3 pl-5 pr-3">
              <Base.Title className="min-w-0 break-words text-lg font-semibold tracking-tight">
                {title}
              </Base.Title>
              <IconButton label="Close" icon={X} onClick={leave} />
            </header>
            {isDirty && isAsking && (
              <div
                role="alert"
                className="flex flex-wrap items-center gap-2 bg-warn-soft px-5 py-2 text-sm text-warn"
              >
                <span className="mr-auto">Discard what you typed?</span>
                <Button onClick={() => setAsking(false)}>Keep editing</Button>
                <Button variant="danger" onClick={onClose}>
                  Discard
                </Button>
              </div>
            )}
            <div ref={body} className="min-h-0 flex-1 overflow-auto px-5 pb-5 pt-1">
              {children}
            </div>
            {footer !== undefined && (
              <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
                {footer}
              </footer>
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

function sizeClass(side: boolean, wide: boolean): string {
  if (side) return "appear-side h-dvh w-[min(680px,100vw)]";
  return classes("appear max-h-[88dvh] max-w-full rounded-xl", wide ? "w-[760px]" : "w-[480px]");
}

/** Where a person types first; a dialog without a field begins at itself, so that no key presses a button by accident. */
function initialFocusOf(
  popup: HTMLElement | null,
  body: HTMLElement | null,
): HTMLElement | false | null {
  // A field that asked for the focus itself.
  if (popup?.contains(document.activeElement)) return false;
  return (
    body?.querySelector<HTMLElement>(
      ":is(input, textarea, select):not(:disabled, [type=hidden])",
    ) ?? popup
  );
}

type ConfirmProps = {
  open: boolean;
  title: string;
  children: ReactNode;
  /** The button's text: the verb, not "yes". */
  action: string;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
};

/** Confirms an action that cannot be undone. */
export function Confirm({
  open,
  title,
  children,
  action,
  busy = false,
  error,
  onConfirm,
  onClose,
}: ConfirmProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" busy={busy} onClick={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 text-sm">
        {children}
        <Complaint error={error} />
      </div>
    </Dialog>
  );
}
