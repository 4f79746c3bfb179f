import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { callOperation } from "../../api/operations.ts";
import type { LetterAnswer } from "../../api/queries.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Check, RotateCcw, Trash2, X } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Complaint } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";
import { useRemoval } from "../../parts/use-removal.ts";
import { riskText } from "./hold-text.ts";
import { LetterFacts, LetterHistory } from "./letter-facts.tsx";

type Verb = "retry" | "resolve" | "abandon";

/** One dead letter: the call, the error and four actions. */
export function LetterDialog({ letter, onClose }: { letter: LetterAnswer; onClose: () => void }) {
  const [note, setNote] = useState("");
  const [asking, setAsking] = useState(false);
  const act = useLetterVerb(letter, note, onClose);
  const removal = useRemoval("dead-letters", onClose);
  const isOpen = letter.status === "pending" || letter.status === "abandoned";
  const disabled = !useMayChange("call") || act.isPending;
  const isBusy = (verb: Verb) => act.isPending && act.variables === verb;
  // What may run twice is retried only after confirmation.
  const retry = () => (riskText(letter) === null ? act.mutate("retry") : setAsking(true));
  if (asking) return <ConfirmRetry letter={letter} act={act} onClose={() => setAsking(false)} />;
  return (
    <Dialog
      side
      open
      onClose={onClose}
      title={letter.tool}
      footer={
        <>
          <Button
            variant="quiet"
            icon={Trash2}
            className="mr-auto"
            disabled={disabled}
            busy={removal.isPending}
            onClick={() => removal.mutate([letter.id])}
          >
            Delete
          </Button>
          {isOpen && (
            <>
              <Button
                icon={X}
                disabled={disabled}
                busy={isBusy("abandon")}
                onClick={() => act.mutate("abandon")}
              >
                Abandon
              </Button>
              <Button
                icon={Check}
                disabled={disabled}
                busy={isBusy("resolve")}
                onClick={() => act.mutate("resolve")}
              >
                Mark resolved
              </Button>
              <Button
                variant="primary"
                icon={RotateCcw}
                disabled={disabled}
                busy={isBusy("retry")}
                onClick={retry}
              >
                Retry
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Complaint
          error={act.error ?? removal.error ?? `${letter.error.code}: ${letter.error.message}`}
        />
        <LetterFacts letter={letter} />
        <section>
          <h3 className="mb-1 flex items-center justify-between text-xs font-medium text-muted">
            Arguments from the caller
            {letter.arguments !== null && (
              <Link
                to="/try"
                search={{ tool: letter.tool, args: JSON.stringify(letter.arguments) }}
                className="text-accent hover:underline"
              >
                Edit and run
              </Link>
            )}
          </h3>
          <JsonView value={letter.arguments} />
        </section>
        <LetterHistory letter={letter} />
        {isOpen && (
          <Field label="Note" hint="Stored with your decision.">
            <TextInput value={note} onChange={(event) => setNote(event.target.value)} />
          </Field>
        )}
      </div>
    </Dialog>
  );
}

function useLetterVerb({ id, tool }: LetterAnswer, note: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (verb: Verb) => {
      if (verb === "retry") return callOperation("deadLetters.retry", { id });
      await callOperation(`deadLetters.${verb}`, {
        id,
        ...(note.trim() !== "" && { note: note.trim() }),
      });
      return null;
    },
    onSuccess(outcome, verb) {
      if (outcome && !outcome.ok)
        toast(`${tool} was retried: ${outcome.error?.message ?? "tool error"}.`, "bad");
      else
        toast(
          { retry: `${tool} was retried.`, resolve: "Marked resolved.", abandon: "Abandoned." }[
            verb
          ],
        );
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["dead-letters"] }),
  });
}

type ConfirmRetryProps = {
  letter: LetterAnswer;
  act: ReturnType<typeof useLetterVerb>;
  onClose: () => void;
};

function ConfirmRetry({ letter, act, onClose }: ConfirmRetryProps) {
  return (
    <Confirm
      open
      title="Retry the call?"
      action="Retry"
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate("retry")}
      onClose={onClose}
    >
      <p>{riskText(letter)}</p>
    </Confirm>
  );
}
