import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { callOperation } from "../../api/operations.ts";
import type { LetterAnswer } from "../../api/queries.ts";
import { useMayChange } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { counted } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { useRemoval } from "../../parts/use-removal.ts";
import { riskText } from "./hold-text.ts";

type Verb = "retry" | "resolve" | "abandon";
type BulkProps = { letters: readonly LetterAnswer[]; onDone: () => void };

const pastTense: Record<Verb, string> = {
  retry: "retried",
  resolve: "marked resolved",
  abandon: "abandoned",
};

/** One decision about several calls, one after the other. */
export function BulkLetters({ letters, onDone }: BulkProps) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const mayCall = useMayChange("call");
  const removal = useRemoval("dead-letters", onDone);
  const act = useMutation({
    async mutationFn(verb: Verb) {
      let failed = 0;
      for (const { id } of letters)
        await callOperation(`deadLetters.${verb}`, { id }).then(
          (answer) => {
            if ("ok" in answer && !answer.ok) failed += 1;
          },
          () => {
            failed += 1;
          },
        );
      return failed;
    },
    onSuccess(failed, verb) {
      const doneCount = letters.length - failed;
      toast(
        `${counted(doneCount, "call")} ${pastTense[verb]}${failed > 0 ? `, ${failed} failed` : ""}.`,
        failed > 0 ? "bad" : "good",
      );
      setAsking(false);
      onDone();
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["dead-letters"] }),
  });
  const riskyCount = letters.filter((letter) => riskText(letter) !== null).length;
  const disabled = !mayCall || act.isPending;
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-accent bg-accent-soft px-3 py-2 text-sm">
      <span className="mr-auto font-medium">{letters.length} selected</span>
      <Button
        disabled={disabled}
        busy={removal.isPending}
        onClick={() => removal.mutate(letters.map(({ id }) => id))}
      >
        Delete
      </Button>
      <Button disabled={disabled} onClick={() => act.mutate("abandon")}>
        Abandon
      </Button>
      <Button disabled={disabled} onClick={() => act.mutate("resolve")}>
        Mark resolved
      </Button>
      <Button
        variant="primary"
        disabled={disabled}
        busy={act.isPending}
        onClick={() => (riskyCount > 0 ? setAsking(true) : act.mutate("retry"))}
      >
        Retry {letters.length}
      </Button>
      <Confirm
        open={isAsking}
        title="Retry the calls?"
        action={`Retry ${letters.length}`}
        busy={act.isPending}
        onConfirm={() => act.mutate("retry")}
        onClose={() => setAsking(false)}
      >
        <p>
          {counted(riskyCount, "call")} of them may have run already, or their callers may have
          called again. They would run twice.
        </p>
      </Confirm>
    </div>
  );
}
