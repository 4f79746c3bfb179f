import { useBlocker } from "@tanstack/react-router";
import type { RefObject } from "react";
import { Confirm } from "../parts/dialog.tsx";

type UnsavedProps = {
  isDirty: boolean;
  /** True once everything is saved, before the next render. */
  isDone: RefObject<boolean>;
};

/** Asks before unsaved changes are left behind: by a link, "back", or closing the tab. */
export function UnsavedChanges({ isDirty, isDone }: UnsavedProps) {
  const isAtRisk = () => isDirty && !isDone.current;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: isAtRisk,
    enableBeforeUnload: isAtRisk,
    withResolver: true,
  });
  return (
    <Confirm
      open={status === "blocked"}
      title="Leave without saving?"
      action="Discard changes"
      onConfirm={() => proceed?.()}
      onClose={() => reset?.()}
    >
      <p>Your changes of this page are not saved yet.</p>
    </Confirm>
  );
}
