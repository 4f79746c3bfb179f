import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useMemo, useState } from "react";
import type { LiveEvent } from "../../api/event-stream.ts";
import { type Range, ranges, seriesQuery } from "../../api/history-queries.ts";
import { useLiveEvent } from "../../app/live-events.ts";
import { Select } from "../../parts/field.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { Failed, QueryView } from "../../parts/states.tsx";
import { useNow } from "../../parts/time.tsx";
import { RunningRuns } from "../calls/story/running-runs.tsx";
import { Breakdown } from "./breakdown.tsx";
import { upTo, withCall } from "./call-series.ts";
import { CallsPlot } from "./calls-plot.tsx";
import { useFirstSteps, Welcome } from "./first-steps.tsx";
import { FirstStepsLine } from "./first-steps-line.tsx";
import { Numbers } from "./numbers.tsx";
import { RecentCalls, ServerList } from "./short-lists.tsx";
import { useNeeds } from "./use-needs.tsx";

const route = getRouteApi("/");

/** Two columns if there is room. */
const column = "flex min-w-0 flex-col gap-4";

export function OverviewPage() {
  const { isLoading, isShown, isEmpty, steps } = useFirstSteps();
  const { isLoading: isAsking } = useNeeds();
  const isLate = useIsLate();
  const { range: rangeName = "" } = route.useSearch();
  const range: Range = Object.hasOwn(ranges, rangeName) ? (rangeName as Range) : "hour";
  const isWaiting = isLoading || (isAsking && !isLate);
  const isNew = isEmpty && isShown;
  const navigate = useNavigate();
  return (
    <Page
      title="Overview"
      actions={
        <Select
          aria-label="Time range"
          className="w-32!"
          value={range}
          onChange={({ target }) =>
            void navigate({
              to: "/",
              search: target.value === "hour" ? {} : { range: target.value },
              replace: true,
            })
          }
          options={Object.entries(ranges).map(([value, { title }]) => ({ value, text: title }))}
        />
      }
    >
      {isWaiting && <Waiting />}
      {/* Five empty cards lead nowhere. */}
      {!isWaiting && isNew && <Welcome steps={steps} />}
      {!isWaiting && !isNew && (
        <>
          <NeedsYou />
          <RunningRuns />
          {isShown && <FirstStepsLine steps={steps} />}
          <Figures range={range} />
        </>
      )}
    </Page>
  );
}

/** What needs attention comes first, so the rest waits for it; but not for long. */
const patienceMs = 1_500;

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setLate, patienceMs, true);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}

/** As high as what follows, so that nothing jumps. */
function Waiting() {
  return (
    <div role="status" aria-busy="true" className="flex flex-col gap-4">
      <span className="sr-only">Loading …</span>
      <span aria-hidden className="skeleton h-24 rounded-lg opacity-60" />
      <div className="grid grid-cols-2 gap-4 xl:grid-cols-5">
        {["servers", "calls", "errors", "latency", "tokens"].map((name) => (
          <span key={name} aria-hidden className="skeleton h-28 rounded-lg opacity-60" />
        ))}
      </div>
      <span aria-hidden className="skeleton h-96 rounded-lg opacity-60" />
    </div>
  );
}

function Figures({ range }: { range: Range }) {
  const now = useNow();
  const history = useCallHistory(range);
  const { title } = ranges[range];
  const series = useMemo(
    () => (history.data ? upTo(history.data, now) : null),
    [history.data, now],
  );
  return (
    <>
      <Numbers range={range} series={series} />
      <div className="flex flex-col gap-4 xl:grid xl:grid-cols-[2fr_1fr] xl:items-start">
        <div className={column}>
          <Panel title={`Calls, ${title.toLowerCase()}`}>
            <div className="min-h-[336px]">
              <QueryView query={history}>
                {() => series && <CallsPlot range={range} series={series} />}
              </QueryView>
            </div>
          </Panel>
          <Breakdown range={range} />
        </div>
        <div className={column}>
          <ServerList />
          <RecentCalls />
        </div>
      </div>
    </>
  );
}

/** The calls of a span of time: counted by the plane, updated by events. */
function useCallHistory(range: Range) {
  const client = useQueryClient();
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (event.type !== "tool.result") return;
        client.setQueryData(
          seriesQuery(range).queryKey,
          (series) => series && withCall(series, Date.parse(event.at), event.status),
        );
      },
      [client, range],
    ),
  );
  return useQuery(seriesQuery(range));
}

/** Open items for the user, most urgent first. Where there is nothing, it takes no room. */
function NeedsYou() {
  const { needs, failed } = useNeeds();
  if (needs.length === 0 && failed === undefined) return null;
  return (
    <Panel flush title="Needs attention" className="border-warn/40">
      {needs.length === 0 && failed ? (
        <Failed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : (
        <ul className="grid gap-x-px text-sm lg:grid-cols-2">
          {needs.map(({ key, icon: Icon, title, about, link }) => (
            <li key={key} className="flex items-start gap-3 px-4 py-2.5">
              <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
              <span className="min-w-0 flex-1 break-words">
                <span className="block font-semibold">{title}</span>
                {about !== "" && (
                  <span title={about} className="break-words text-muted md:line-clamp-2">
                    {about}
                  </span>
                )}
              </span>
              {link}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
