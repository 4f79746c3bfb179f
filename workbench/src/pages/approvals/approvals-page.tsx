import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { waitingQuery } from "../../api/approval-queries.ts";
import { questionsQuery } from "../../api/queries.ts";
import { useHasSound, useNotifies } from "../../app/approval-alerts.ts";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Bell, BellOff, Monitor } from "../../parts/icons.ts";
import { Page } from "../../parts/page.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { renderCount } from "../../parts/time.tsx";
import { AnsweredList } from "./answered-list.tsx";
import { RememberedList } from "./remembered-list.tsx";
import { WaitingList } from "./waiting-list.tsx";

const route = getRouteApi("/approvals");

/** Waiting, answered and remembered approvals. */
export function ApprovalsPage() {
  const { id, view = "waiting" } = route.useSearch();
  const navigate = useNavigate();
  const [hasSound, setSound] = useHasSound();
  const [notifies, setNotifies] = useNotifies();
  const questionCount = useQuery(questionsQuery()).data?.questions.length ?? 0;
  const waitingCount = (useInfiniteQuery(waitingQuery()).data?.total ?? 0) + questionCount;
  const tabs = [
    {
      name: "waiting",
      title: waitingCount > 0 ? `Waiting (${renderCount(waitingCount)})` : "Waiting",
      content: <WaitingList id={id} />,
    },
    { name: "answered", title: "Answered", content: <AnsweredList /> },
    { name: "remembered", title: "Remembered", content: <RememberedList /> },
  ];
  return (
    <Page
      title="Approvals"
      about="Calls that need a person's approval."
      actions={
        // On a phone an open call needs the room.
        <div className={classes("flex flex-wrap gap-2", id !== undefined && "max-md:hidden")}>
          <Button icon={Monitor} aria-pressed={notifies} onClick={() => setNotifies(!notifies)}>
            {notifies ? "Notifications on" : "Notifications off"}
          </Button>
          <Button
            icon={hasSound ? Bell : BellOff}
            aria-pressed={hasSound}
            onClick={() => setSound(!hasSound)}
          >
            {hasSound ? "Sound on" : "Sound off"}
          </Button>
        </div>
      }
    >
      <Tabs
        label="Approvals"
        tabs={tabs}
        value={tabs.some(({ name }) => name === view) ? view : "waiting"}
        onChange={(nextView) =>
          void navigate({
            to: "/approvals",
            search: nextView === "waiting" ? {} : { view: nextView },
            replace: true,
          })
        }
      />
    </Page>
  );
}
