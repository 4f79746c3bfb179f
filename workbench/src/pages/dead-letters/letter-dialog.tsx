import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Outcome } from "../../../../src/model/calls/call.ts";
import type { DeadLetter } from "../../../../src/model/work/dead-letter.ts";
import { part, post, remove } from "../../api/client.ts";
import { useMay } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Field, TextInput } from "../../parts/field.tsx";
import { Check, RotateCcw, Trash2, X } from "../../parts/icons.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Complaint } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { LetterFacts, LetterHistory } from "./letter-facts.tsx";

type Verb = "retry" | "resolve" | "abandon" | "delete";

/** One dead letter: the call, the error and four actions. */
export function LetterDialog({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const [note, setNote] = useState("");
  const [asking, setAsking] = useState<"retry" | "delete" | null>(null);
  const act = useLetterVerb(letter, note, onClose);
  const isOpen = letter.status === "pending" || letter.status === "abandoned";
  const disabled = !useMay("call") || act.isPending;
  const isBusy = (verb: Verb) => act.isPending && act.variables === verb;
  // A call that may have run is retried only after confirmation.
  const retry = () => (letter.hold === "may_have_run" ? setAsking("retry") : act.mutate("retry"));
  if (asking !== null) return <Sure verb={asking} letter={letter} act={act} onClose={() => setAsking(null)} />;
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
            onClick={() => setAsking("delete")}
          >
            Delete
          </Button>
          {isOpen && (
            <>
              <Button icon={X} disabled={disabled} busy={isBusy("abandon")} onClick={() => act.mutate("abandon")}>
                Abandon
              </Button>
              <Button icon={Check} disabled={disabled} busy={isBusy("resolve")} onClick={() => act.mutate("resolve")}>
                Mark resolved
              </Button>
              <Button variant="primary" icon={RotateCcw} disabled={disabled} busy={isBusy("retry")} onClick={retry}>
                Retry
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Complaint error={act.error ?? `${letter.error.code}: ${letter.error.message}`} />
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

function useLetterVerb({ id, tool }: DeadLetter, note: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (verb: Verb) => {
      const path = `/dead-letters/${part(id)}`;
      if (verb === "retry") return post<Outcome>(`${path}/retry`);
      if (verb === "delete") await remove(path);
      else await post(`${path}/${verb}`, note.trim() === "" ? {} : { note: note.trim() });
      return null;
    },
    onSuccess(outcome, verb) {
      if (outcome && !outcome.ok) toast(`${tool} was retried: ${outcome.error?.message ?? "tool error"}.`, "bad");
      else
        toast(
          { retry: `${tool} was retried.`, resolve: "Marked resolved.", abandon: "Abandoned.", delete: "Deleted." }[
            verb
          ],
        );
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["dead-letters"] }),
  });
}

type SureProps = {
  verb: "retry" | "delete";
  letter: DeadLetter;
  act: ReturnType<typeof useLetterVerb>;
  onClose: () => void;
};

function Sure({ verb, letter, act, onClose }: SureProps) {
  return (
    <Confirm
      open
      title={verb === "retry" ? "Retry the call?" : "Delete it?"}
      action={verb === "retry" ? "Retry" : "Delete"}
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate(verb)}
      onClose={onClose}
    >
      <p>
        {verb === "retry"
          ? `${letter.tool} may have run already. If it did, it runs twice.`
          : "It cannot be retried afterwards. The call record stays."}
      </p>
    </Confirm>
  );
}
