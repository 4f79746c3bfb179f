import { useMutateOperation, useOperation } from "../../api/operations.ts";
import { useWhyNot } from "../../app/session.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/page.tsx";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";

type Change = NonNullable<ReturnType<typeof useChangedDefaults>["data"]>["changes"][number];

export function useChangedDefaults() {
  return useOperation("defaults.list", {});
}

const decisions: Record<Change["decision"], { text: string; tone: Tone }> = {
  undecided: { text: "not decided", tone: "warn" },
  accept: { text: "accepted", tone: "good" },
  keep: { text: "kept as it was", tone: "neutral" },
  configured: { text: "set in the configuration", tone: "neutral" },
};

/** Defaults that changed since the version that made the store, and a decision on each. */
export function ChangedDefaults() {
  return (
    <QueryView query={useChangedDefaults()}>
      {({ madeBy, changes }) =>
        changes.length === 0 ? (
          <Empty title="No default has changed">Version {madeBy} made this store.</Empty>
        ) : (
          <Panel flush title={`Defaults that changed since version ${madeBy} made this store`}>
            <ul className="divide-y divide-line">
              {changes.map((change) => (
                <DefaultRow key={change.id} change={change} />
              ))}
            </ul>
          </Panel>
        )
      }
    </QueryView>
  );
}

function DefaultRow({ change }: { change: Change }) {
  const { text, tone } = decisions[change.decision];
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-2">
        <code className="font-medium">{change.id}</code>
        <Badge tone={tone}>{text}</Badge>
        {change.decidedAt !== null && (
          <span className="text-muted">
            {change.decidedBy ?? "anonymous"}, <Time at={change.decidedAt} />
          </span>
        )}
      </div>
      <p>{change.summary}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
        <Side name="Before" text={change.before} isInForce={change.inForce === "before"} />
        <Side name="Now" text={change.now} isInForce={change.inForce === "now"} />
      </dl>
      <Decision change={change} />
    </li>
  );
}

function Side({ name, text, isInForce }: { name: string; text: string; isInForce: boolean }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd>
        {text} {isInForce && <Badge tone="accent">in force</Badge>}
      </dd>
    </>
  );
}

function Decision({ change: { id, decision, gone: whyNotKept } }: { change: Change }) {
  const accept = useMutateOperation("defaults.accept", { changes: ["defaults"] });
  const keep = useMutateOperation("defaults.keep", { changes: ["defaults"] });
  const whyNot = useWhyNot("admin");
  const isDecidedByConfiguration = decision === "configured";
  if (isDecidedByConfiguration) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {decision !== "accept" && (
        <Button
          variant="primary"
          busy={accept.isPending}
          whyNot={whyNot}
          onClick={() => accept.mutate({ id })}
        >
          Accept
        </Button>
      )}
      {whyNotKept === null && decision !== "keep" && (
        <Button busy={keep.isPending} whyNot={whyNot} onClick={() => keep.mutate({ id })}>
          Keep as it was
        </Button>
      )}
      {whyNotKept !== null && decision === "undecided" && (
        <span className="text-muted">{whyNotKept}</span>
      )}
      <Complaint error={accept.error ?? keep.error} />
    </div>
  );
}
