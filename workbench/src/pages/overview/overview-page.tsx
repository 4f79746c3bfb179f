import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type Range, ranges } from "../../api/history-queries.ts";
import { Select } from "../../parts/field.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";
import { useNow } from "../../parts/time.tsx";
import { Breakdown } from "./breakdown.tsx";
import { useCallHistory } from "./call-history.ts";
import { upTo } from "./call-series.ts";
import { CallsPlot } from "./calls-plot.tsx";
import { FirstStepsPanel, useFirstSteps } from "./first-steps.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { Numbers } from "./numbers.tsx";
import { RecentCalls, ServerList } from "./short-lists.tsx";

const route = getRouteApi("/");

/** Two columns if there is room; otherwise open items come first. */
const column = "contents xl:flex xl:min-w-0 xl:flex-col xl:gap-3";

export function OverviewPage() {
  const { isShown, isEmpty, steps } = useFirstSteps();
  const { range: asked = "" } = route.useSearch();
  const range: Range = Object.hasOwn(ranges, asked) ? (asked as Range) : "hour";
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
            void navigate({ to: "/", search: target.value === "hour" ? {} : { range: target.value }, replace: true })
          }
          options={Object.entries(ranges).map(([value, { title }]) => ({ value, text: title }))}
        />
      }
    >
      {isShown && <FirstStepsPanel steps={steps} />}
      {/* Five empty cards lead nowhere. */}
      {!(isShown && isEmpty) && <Figures range={range} />}
    </Page>
  );
}

function Figures({ range }: { range: Range }) {
  const now = useNow();
  const history = useCallHistory(range);
  const { title } = ranges[range];
  return (
    <>
      <Numbers range={range} series={history.data ? upTo(history.data, now) : null} />
      <div className="flex flex-col gap-3 xl:grid xl:grid-cols-[2fr_1fr] xl:items-start">
        <div className={column}>
          <Panel title={`Calls, ${title.toLowerCase()}`} className="max-xl:order-2">
            <QueryView query={history}>{(series) => <CallsPlot range={range} series={upTo(series, now)} />}</QueryView>
          </Panel>
          <Breakdown range={range} className="max-xl:order-3" />
          <RecentCalls className="max-xl:order-3" />
        </div>
        <div className={column}>
          <NeedsYou className="max-xl:order-1" />
          <ServerList className="max-xl:order-4" />
        </div>
      </div>
    </>
  );
}
