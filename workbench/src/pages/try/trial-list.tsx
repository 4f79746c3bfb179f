import type { UnknownObject } from "../../../../src/model/json.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { renderDuration, Time } from "../../parts/time.tsx";
import { useTrials } from "./try-history.ts";

/** Earlier calls of this tab. */
export function TrialList({ tool, onPick }: { tool: string; onPick: (args: UnknownObject) => void }) {
  const trials = useTrials(tool);
  if (trials.length === 0) return null;
  return (
    <Panel flush title="History">
      <ul className="divide-y divide-line text-[13px]">
        {trials.map(({ id, at, args, outcome }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-1.5 max-md:flex-wrap">
            <StateBadge kind="call" state={outcome.call.status} />
            <code className="min-w-0 flex-1 truncate font-mono text-xs max-md:order-last max-md:basis-full">
              {JSON.stringify(args)}
            </code>
            <span className="text-xs text-muted max-md:hidden">{renderDuration(outcome.call.durationMs)}</span>
            <span className="ml-auto text-xs text-muted">
              <Time at={at} />
            </span>
            <Button variant="quiet" onClick={() => onPick(args)}>
              Reuse arguments
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
