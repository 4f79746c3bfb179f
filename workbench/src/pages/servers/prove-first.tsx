import type { ReactNode } from "react";
import { useServerChanges } from "../../app/session.ts";
import { ShowPass } from "../../app/show-pass.tsx";
import { CodeView } from "../../parts/code-view.tsx";

type ProveFirstProps = {
  /** The equivalent command on the plane's machine. */
  command: string;
  isFile?: boolean;
  /** The form for the link stands above. */
  isAsked?: boolean;
  /** Shown if the user may change servers. */
  children: ReactNode;
};

/** Adding a server starts a program, so the page first requires proof of identity. */
export function ProveFirst({
  command,
  isFile = false,
  isAsked = false,
  children,
}: ProveFirstProps) {
  const may = useServerChanges();
  if (may === "allowed") return children;
  const where = isFile ? "Put this into toolplane.json" : "Run this on the machine";
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3 text-sm">
      {may === "needs_proof" ? (
        <>
          {!isAsked && <Unlock />}
          <p className="text-muted">{where} instead; the change appears here at once.</p>
        </>
      ) : (
        <p className="text-muted">
          This plane has no configuration file to write to. {where}, then restart it.
        </p>
      )}
      <CodeView wrap label={isFile ? "configuration" : "command"} text={command} />
    </div>
  );
}

/** Before a form: what is typed into it cannot be saved without the pass. */
export function Unlock({
  what = "A server is a program that runs on this machine.",
}: {
  what?: string;
}) {
  if (useServerChanges() !== "needs_proof") return null;
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="text-muted">
        {what} To unlock changes, paste the link that{" "}
        <code className="font-mono">toolplane serve</code> printed.
      </p>
      <ShowPass />
    </div>
  );
}
