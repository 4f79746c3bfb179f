import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { keepFlag } from "../../parts/kept-flags.ts";
import { type FirstSteps, hiddenFlag, titleOf } from "./first-steps.tsx";

/** What is left of the steps, in one line below what needs attention. */
export function FirstStepsLine({ steps }: Pick<FirstSteps, "steps">) {
  const [isOpen, setOpen] = useState(false);
  const nextStep = steps.find(({ isDone }) => !isDone);
  if (nextStep === undefined) return null;
  return (
    <section className="rounded-lg border border-line bg-surface shadow-raised">
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm">
        <h2 className="font-semibold">{titleOf(steps)}</h2>
        <Progress steps={steps} />
        <span className="min-w-0 text-muted max-lg:hidden">{nextStep.about}</span>
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {nextStep.key === "call" ? (
            nextStep.content
          ) : (
            <Button variant="primary" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {nextStep.title}
            </Button>
          )}
          <Button variant="quiet" onClick={() => keepFlag(hiddenFlag)}>
            Hide
          </Button>
        </span>
      </div>
      {isOpen && nextStep.key !== "call" && (
        <div className="border-t border-line p-4">{nextStep.content}</div>
      )}
    </section>
  );
}

function Progress({ steps }: Pick<FirstSteps, "steps">) {
  return (
    <span aria-hidden className="flex gap-1">
      {steps.map(({ key, isDone }) => (
        <span
          key={key}
          className={classes("h-1.5 w-6 rounded-full", isDone ? "bg-good" : "bg-line")}
        />
      ))}
    </span>
  );
}
