import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AgentRun } from "../../../../src/model/agent/run-schema.ts";
import { Ellipsis, Hand, type IconType, Unplug } from "../../parts/icons.ts";

/** Caveats of an answer: truncated, calls still waiting, servers missing. */
export function RunMarks({
  run: { truncated, refused, waiting = [], missing = [] },
}: {
  run: AgentRun;
}) {
  if (!truncated && !refused && waiting.length + missing.length === 0) return null;
  return (
    <ul
      aria-label="Notes on this run"
      className="flex flex-col gap-1.5 rounded-md bg-warn-soft px-3 py-2 text-sm"
    >
      {truncated && (
        <Mark icon={Ellipsis}>The answer is truncated: the model reached its output limit.</Mark>
      )}
      {refused && (
        <Mark icon={Ellipsis}>The model refused to go on, or its content filter stopped it.</Mark>
      )}
      {waiting.map(({ id, tool }) => (
        <Mark key={id} icon={Hand}>
          <span className="font-mono text-xs">{tool}</span> waited for approval when the run ended.{" "}
          <Link to="/approvals" search={{ id }} className="text-accent hover:underline">
            Decide
          </Link>
        </Mark>
      ))}
      {missing.map(({ server, reason }) => (
        <Mark key={server} icon={Unplug}>
          The server {server} was unavailable: {reason}
        </Mark>
      ))}
    </ul>
  );
}

function Mark({ icon: Icon, children }: { icon: IconType; children: ReactNode }) {
  return (
    <li className="flex items-start gap-2">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <span className="min-w-0 break-words">{children}</span>
    </li>
  );
}
