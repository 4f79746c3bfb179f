import { PlugZap } from "../parts/icons.ts";
import { useConnection } from "./live-events.ts";

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
