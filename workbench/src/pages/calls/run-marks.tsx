import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { AgentRun } from "../../../../src/model/agent/agent-run.ts";
import { Ellipsis, Hand, type IconType, Unplug } from "../../parts/icons.ts";

/** What whoever reads the answer has to know: that it is cut off, that something still waits, that somebody was missing. */
export function RunMarks({ run: { truncated, waiting = [], missing = [] } }: { run: AgentRun }) {
  if (!truncated && waiting.length + missing.length === 0) return null;
  return (
    <ul
      aria-label="To know about this run"
      className="flex flex-col gap-1.5 rounded-md bg-warn-soft px-3 py-2 text-[13px]"
    >
      {truncated && <Mark icon={Ellipsis}>The answer is cut off: it ends where the model had no room left.</Mark>}
      {waiting.map(({ id, tool }) => (
        <Mark key={id} icon={Hand}>
          <span className="font-mono text-xs">{tool}</span> waited for a yes when the run ended.{" "}
          <Link to="/approvals" search={{ id }} className="text-accent hover:underline">
            Decide
          </Link>
        </Mark>
      ))}
      {missing.map(({ server, reason }) => (
        <Mark key={server} icon={Unplug}>
          The server {server} had nothing to offer: {reason}
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

const reasons: Record<string, string> = {
  stop: "it had said all",
  tool_calls: "it asked for tools",
  "tool-calls": "it asked for tools",
  length: "it had no room left",
  content_filter: "its endpoint withheld the rest",
  "content-filter": "its endpoint withheld the rest",
};

/** Why a model stopped, for people; what nobody knows is told in the endpoint's own word. */
export function renderFinish(finish: string | undefined): string {
  if (finish === undefined) return "it broke off";
  const known = Object.hasOwn(reasons, finish) ? reasons[finish] : undefined;
  return known === undefined ? finish : `${known} (${finish})`;
}

/** Did it stop because it wanted to? */
export function isWholeFinish(finish: string | undefined): boolean {
  return finish !== undefined && finish !== "length" && !/^content.filter$/.test(finish);
}
