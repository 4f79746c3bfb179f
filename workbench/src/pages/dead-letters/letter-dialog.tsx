import { useMutation, useQueryClient } from "@tanstack/react-query";
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

/** One of them: what was called, what went wrong, and four ways to go on. */
export function LetterDialog({ letter, onClose }: { letter: DeadLetter; onClose: () => void }) {
  const [note, setNote] = useState("");
  const [asking, setAsking] = useState<"retry" | "delete" | null>(null);
  const act = useLetterVerb(letter, note, onClose);
  const isOpen = letter.status === "pending" || letter.status === "abandoned";
  const disabled = !useMay("call") || act.isPending;
  const isBusy = (verb: Verb) => act.isPending && act.variables === verb;
  // What may have happened already is done twice only if somebody says so.
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
                Give up
              </Button>
              <Button icon={Check} disabled={disabled} busy={isBusy("resolve")} onClick={() => act.mutate("resolve")}>
                Taken care of
              </Button>
              <Button variant="primary" icon={RotateCcw} disabled={disabled} busy={isBusy("retry")} onClick={retry}>
                Call again
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
          <h3 className="mb-1 text-xs font-medium text-muted">Arguments, as the caller gave them</h3>
          <JsonView value={letter.arguments} />
        </section>
        <LetterHistory letter={letter} />
        {isOpen && (
          <Field label="Note" hint="Kept with what you decide.">
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
      if (outcome && !outcome.ok) toast(`${tool} was called again: ${outcome.error?.message ?? "it said no"}.`, "bad");
      else
        toast(
          { retry: `${tool} was called again.`, resolve: "Noted.", abandon: "Given up.", delete: "Deleted." }[verb],
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
      title={verb === "retry" ? "Call it again?" : "Delete it?"}
      action={verb === "retry" ? "Call again" : "Delete"}
      busy={act.isPending}
      error={act.error}
      onConfirm={() => act.mutate(verb)}
      onClose={onClose}
    >
      <p>
        {verb === "retry"
          ? `Nobody knows whether ${letter.tool} has run already. If it has, it runs twice.`
          : "It cannot be made again afterwards. The record of the call stays."}
      </p>
    </Confirm>
  );
}
