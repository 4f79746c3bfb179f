import type { ToolAnswer } from "../../api/tool-queries.ts";
import { Badge } from "../../parts/badge.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { Panel } from "../../parts/page.tsx";
import { counted, renderDuration, Time } from "../../parts/time.tsx";

/** The tool's providers in routing order, with their health. */
export function ToolProviders({ tool: { providers, health } }: { tool: ToolAnswer }) {
  const providerStates = Object.entries(health.providers);
  const ordered = [...providers].sort((a, b) => a.priority - b.priority);
  return (
    <Panel
      title={providers.length === 1 ? "Provider" : "Providers (the first healthy one is used)"}
      flush
    >
      <ul className="divide-y divide-line text-sm">
        {ordered.map((provider) => {
          const [, state] = providerStates[providers.indexOf(provider)] ?? [];
          return (
            <li key={JSON.stringify(provider)} className="flex flex-col gap-1 px-4 py-2.5">
              <div className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{provider.name}</span>
                <span className="text-xs text-muted">priority {provider.priority}</span>
                {state && (
                  <ProviderState
                    state={state}
                    // Only the tool counts them; of several providers nothing says whose they were.
                    toolErrors={providers.length === 1 ? health.failure - state.metrics.failure : 0}
                  />
                )}
              </div>
              {state?.router.last_error && (
                <p className="break-words text-xs text-bad">{state.router.last_error}</p>
              )}
              <JsonView value={provider.config} />
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

type State = ToolAnswer["health"]["providers"][string];

function ProviderState({
  state: { router, metrics },
  toolErrors,
}: {
  state: State;
  toolErrors: number;
}) {
  return (
    <>
      <Badge tone={router.healthy ? "good" : "bad"} dot>
        {router.healthy ? "healthy" : "unhealthy"}
      </Badge>
      {router.backoff_until !== null && (
        <Badge tone="warn">
          cooldown until <Time at={router.backoff_until} />
        </Badge>
      )}
      {router.failures > 0 && (
        <span className="text-xs text-bad">
          {router.failures === 1 ? "last run failed" : `${router.failures} failures in a row`}
        </span>
      )}
      {metrics.total > 0 && (
        <span className="text-xs text-muted">
          answered {metrics.success} of {counted(metrics.total, "run")}
          {toolErrors > 0 && (
            <>
              , <span className="text-bad">{toolErrors} of them with a tool error</span>
            </>
          )}
          , {renderDuration(metrics.average_latency_ms)} on average
        </span>
      )}
    </>
  );
}
