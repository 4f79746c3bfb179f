import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { Lock, PlugZap } from "../parts/icons.ts";
import { useConnection } from "./live-events.ts";
import { useIsProven } from "./session.ts";
import { ShowPass } from "./show-pass.tsx";

/** Without the pass the page looks and calls, but every change and approval is refused. */
export function ProofBanner() {
  const [isOpen, setOpen] = useState(false);
  if (useIsProven()) return null;
  return (
    <section
      aria-label="Changes are locked"
      className="border-b border-line bg-warn-soft px-4 py-2 text-sm md:px-8"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-warn">
        <Lock aria-hidden className="size-4 shrink-0" />
        <p role="status" className="min-w-0 flex-1">
          You can look and try. To approve calls and change things, show that this plane is yours.
        </p>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Unlock changes
        </Button>
      </div>
      {isOpen && (
        <div className="mt-2 max-w-2xl pb-1">
          <p className="mb-2 text-muted">
            The plane printed a link when it started; it ends in{" "}
            <code className="font-mono">#pass=…</code> Open it, or paste it here. It changes with
            each start.
          </p>
          <ShowPass />
        </div>
      )}
    </section>
  );
}

/** The data may be stale while the plane does not answer. */
export function ConnectionBanner() {
  if (useConnection() !== "lost") return null;
  return (
    <p
      role="status"
      className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-sm text-warn md:px-8"
    >
      <PlugZap aria-hidden className="size-4" />
      The plane does not answer; what you see may be old. Trying again …
    </p>
  );
}
