import { type ReactNode, useEffect, useId, useRef, useState } from "react";
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

/** The browser's dialog: it traps focus and closes with Escape. */
export function Dialog(props: DialogProps) {
  const { open, onClose, title, children, footer, side = false, wide = false, isDirty = false } = props;
  const [isAsking, setAsking] = useState(false);
  const leave = () => (isDirty && !isAsking ? setAsking(true) : onClose());
  const element = useRef<HTMLDialogElement>(null);
  const label = useId();
  useEffect(() => {
    const dialog = element.current;
    if (open && dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, [open]);
  if (!open) return null;
  const place = side
    ? "ml-auto mr-0 my-0 h-dvh max-h-none w-[min(680px,100vw)] max-w-none rounded-none border-y-0 border-r-0"
    : classes("m-auto max-h-[88dvh] max-w-[calc(100vw-24px)] rounded-xl", wide ? "w-[760px]" : "w-[480px]");
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it already
    <dialog
      ref={element}
      aria-labelledby={label}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onClick={(event) => event.target === element.current && leave()}
      className={classes("border border-line bg-surface p-0 text-ink shadow-2xl", place)}
    >
      <div className={classes("flex flex-col", side ? "h-full" : "max-h-[88dvh]")}>
        <header className="flex items-center justify-between gap-3 border-b border-line px-4 py-2.5">
          <h2 id={label} className="min-w-0 break-words text-[15px] font-semibold">
            {title}
          </h2>
          <IconButton label="Close" icon={X} onClick={leave} />
        </header>
        {isDirty && isAsking && (
          <div role="alert" className="flex flex-wrap items-center gap-2 bg-warn-soft px-4 py-2 text-[13px] text-warn">
            <span className="mr-auto">Discard what you typed?</span>
            <Button onClick={() => setAsking(false)}>Keep editing</Button>
            <Button variant="danger" onClick={onClose}>
              Discard
            </Button>
          </div>
        )}
        <div className="min-h-0 flex-1 overflow-auto p-4">{children}</div>
        {footer !== undefined && (
          <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
            {footer}
          </footer>
        )}
      </div>
    </dialog>
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
export function Confirm({ open, title, children, action, busy = false, error, onConfirm, onClose }: ConfirmProps) {
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
      <div className="flex flex-col gap-3 text-[13px]">
        {children}
        <Complaint error={error} />
      </div>
    </Dialog>
  );
}
