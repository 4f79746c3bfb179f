import { useState } from "react";
import type { PlanChoice } from "../../../../src/model/calls/held-call.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import {
  type HeldAnswer,
  type PlanAnswer,
  type PlanOutcomeAnswer,
  usePlanDecision,
} from "../../api/approval-queries.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { PlanActions } from "./plan-actions.tsx";
import { PlanChange } from "./plan-change.tsx";

/** The changes of a plan: choose, edit, approve or reject. */
export function PlanEditor({ plan }: { plan: PlanAnswer }) {
  const decide = usePlanDecision(plan.id);
  const waitingChanges = plan.changes.filter(({ status }) => status === "pending");
  const [leftOutIds, setLeftOutIds] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<Record<string, JsonObject | null>>({});
  const [outcomes, setOutcomes] = useState<PlanOutcomeAnswer["outcomes"]>([]);
  const chosenChanges = waitingChanges.filter(({ id }) => !leftOutIds.has(id));
  const decideChosen = (
    verb: "approve" | "reject",
    more: Omit<PlanChoice, "ids" | "first" | "arguments">,
  ) =>
    decide.mutate(
      {
        verb,
        ...(chosenChanges.length < waitingChanges.length && {
          ids: chosenChanges.map(({ id }) => id),
        }),
        ...more,
        ...replacedArguments(verb, chosenChanges, edited),
      },
      {
        onSuccess: (answer) => {
          if ("outcomes" in answer) setOutcomes((before) => [...before, ...answer.outcomes]);
          // Next, the changes that are left are selected.
          setLeftOutIds(new Set());
        },
      },
    );
  const toggle = (id: string) => {
    const nextLeftOut = new Set(leftOutIds);
    if (!nextLeftOut.delete(id)) nextLeftOut.add(id);
    setLeftOutIds(nextLeftOut);
  };
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <GrowingList className="gap-3" items={plan.changes} keyOf={({ id }) => id}>
        {(change, index) => (
          <PlanChange
            change={change}
            number={index + 1}
            isChosen={!leftOutIds.has(change.id)}
            onToggle={() => toggle(change.id)}
            onEdit={(args) =>
              setEdited(({ [change.id]: _, ...otherEdits }) =>
                args === undefined ? otherEdits : { ...otherEdits, [change.id]: args },
              )
            }
            outcome={outcomes.findLast((outcome) => outcome.change === change.id)?.outcome ?? null}
          />
        )}
      </GrowingList>
      {waitingChanges.length > 0 && (
        <PlanActions
          chosen={chosenChanges.length}
          waiting={waitingChanges.length}
          isFirst={chosenChanges.every(({ id }, index) => id === waitingChanges[index]?.id)}
          isWrong={chosenChanges.some(({ id }) => edited[id] === null)}
          busyWith={decide.isPending ? decide.variables.verb : null}
          error={decide.error}
          onChooseFirst={(count) =>
            setLeftOutIds(new Set(waitingChanges.slice(count).map(({ id }) => id)))
          }
          onDecide={decideChosen}
        />
      )}
    </div>
  );
}

/** Edited arguments apply to approved changes only. */
function replacedArguments(
  verb: "approve" | "reject",
  chosenChanges: readonly HeldAnswer[],
  edited: Record<string, JsonObject | null>,
): Pick<PlanChoice, "arguments"> {
  const editedArguments = chosenChanges.flatMap(({ id }) =>
    edited[id] ? [[id, edited[id]] as const] : [],
  );
  if (verb === "reject" || editedArguments.length === 0) return {};
  return { arguments: Object.fromEntries(editedArguments) };
}
