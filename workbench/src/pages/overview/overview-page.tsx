import { Page, Panel } from "../../parts/page.tsx";
import { QueryView } from "../../parts/states.tsx";
import { useNow } from "../../parts/time.tsx";
import { useCallHistory } from "./call-history.ts";
import { upTo } from "./call-series.ts";
import { CallsPlot } from "./calls-plot.tsx";
import { FirstStepsPanel, useFirstSteps } from "./first-steps.tsx";
import { NeedsYou } from "./needs-you.tsx";
import { Numbers } from "./numbers.tsx";
import { RecentCalls, ServerList } from "./short-lists.tsx";

/** Two columns if there is room; otherwise open items come first. */
const column = "contents xl:flex xl:min-w-0 xl:flex-col xl:gap-3";

export function OverviewPage() {
  const { isShown, isEmpty, steps } = useFirstSteps();
  return (
    <Page title="Overview">
      {isShown && <FirstStepsPanel steps={steps} />}
      {/* Five empty cards lead nowhere. */}
      {!(isShown && isEmpty) && <Figures />}
    </Page>
  );
}

function Figures() {
  const now = useNow();
  const history = useCallHistory();
  return (
    <>
      <Numbers series={history.data ? upTo(history.data, now) : null} />
      <div className="flex flex-col gap-3 xl:grid xl:grid-cols-[2fr_1fr] xl:items-start">
        <div className={column}>
          <Panel title="Calls per minute, last hour" className="max-xl:order-2">
            <QueryView query={history}>{(series) => <CallsPlot series={upTo(series, now)} />}</QueryView>
          </Panel>
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
