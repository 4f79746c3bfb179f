import { PlugZap } from "../parts/icons.ts";
import { useConnection } from "./live-events.ts";
import { useIsProven } from "./session.ts";

/** Without the pass the page looks and calls, but every change and approval is refused. */
export function ProofBanner() {
  if (useIsProven()) return null;
  return (
    <p role="status" className="bg-warn-soft px-4 py-1.5 text-[13px] text-warn">
      To approve calls and change things, open the link that <code className="font-mono">toolplane serve</code> printed:
      it ends in #pass=…
    </p>
  );
}

/** The data may be stale while the plane does not answer. */
export function ConnectionBanner() {
  if (useConnection() !== "lost") return null;
  return (
    <p role="status" className="flex items-center gap-2 bg-warn-soft px-4 py-1.5 text-[13px] text-warn">
      <PlugZap aria-hidden className="size-4" />
      The plane does not answer; what you see may be old. Trying again …
    </p>
  );
}
