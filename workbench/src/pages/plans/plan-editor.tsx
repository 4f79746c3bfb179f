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
  const waiting = plan.changes.filter(({ status }) => status === "pending");
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [edited, setEdited] = useState<Record<string, JsonObject | null>>({});
  const [outcomes, setOutcomes] = useState<PlanOutcomeAnswer["outcomes"]>([]);
  const chosen = waiting.filter(({ id }) => !left.has(id));
  const give = (
    verb: "approve" | "reject",
    more: Omit<PlanChoice, "ids" | "first" | "arguments">,
  ) =>
    decide.mutate(
      {
        verb,
        ...(chosen.length === waiting.length ? {} : { ids: chosen.map(({ id }) => id) }),
        ...more,
        ...instead(verb, chosen, edited),
      },
      {
        onSuccess: (answer) => {
          if ("outcomes" in answer) setOutcomes((before) => [...before, ...answer.outcomes]);
          // Next, the changes that are left are selected.
          setLeft(new Set());
        },
      },
    );
  const toggle = (id: string) => {
    const next = new Set(left);
    if (!next.delete(id)) next.add(id);
    setLeft(next);
  };
  return (
    <div className="flex max-w-4xl flex-col gap-4">
      <GrowingList className="gap-3" items={plan.changes} keyOf={({ id }) => id}>
        {(change, at) => (
          <PlanChange
            change={change}
            place={at + 1}
            isChosen={!left.has(change.id)}
            onToggle={() => toggle(change.id)}
            onEdit={(args) =>
              setEdited(({ [change.id]: _, ...rest }) =>
                args === undefined ? rest : { ...rest, [change.id]: args },
              )
            }
            outcome={outcomes.findLast((one) => one.change === change.id)?.outcome ?? null}
          />
        )}
      </GrowingList>
      {waiting.length > 0 && (
        <PlanActions
          chosen={chosen.length}
          waiting={waiting.length}
          isFirst={chosen.every(({ id }, at) => id === waiting[at]?.id)}
          isWrong={chosen.some(({ id }) => edited[id] === null)}
          busyWith={decide.isPending ? decide.variables.verb : null}
          error={decide.error}
          onChooseFirst={(count) => setLeft(new Set(waiting.slice(count).map(({ id }) => id)))}
          onDecide={give}
        />
      )}
    </div>
  );
}

/** Edited arguments apply to approved changes only. */
function instead(
  verb: "approve" | "reject",
  chosen: readonly HeldAnswer[],
  edited: Record<string, JsonObject | null>,
): Pick<PlanChoice, "arguments"> {
  const meant = chosen.flatMap(({ id }) => (edited[id] ? [[id, edited[id]] as const] : []));
  return verb === "reject" || meant.length === 0 ? {} : { arguments: Object.fromEntries(meant) };
}
