import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { part, readProblem, send } from "../../api/client.ts";
import type { LiveEvent } from "../../api/event-stream.ts";
import { useLiveEvent } from "../../app/live-events.ts";
import { keepTrial } from "./try-history.ts";

type Wanted = { args: UnknownObject; dryRun: boolean };
export type Progress = { share: number | null; message: string | null };

/** Calls the tool once and keeps what came of it; whoever leaves or gives up cancels the call. */
export function useCall(tool: string) {
  const client = useQueryClient();
  const leaving = useRef<AbortController | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const call = useMutation({
    mutationFn: async ({ args, dryRun }: Wanted): Promise<OutcomeAnswer> => {
      leaving.current = new AbortController();
      const { signal } = leaving.current;
      setProgress(null);
      const body = { arguments: args, ...(dryRun ? { dryRun: true } : {}) };
      return readOutcome(await send("POST", `/tools/${part(tool)}/call`, { body, signal }));
    },
    onSuccess: (outcome, wanted) => keepTrial({ tool, ...wanted, outcome }),
    onSettled: () => {
      setProgress(null);
      void client.invalidateQueries({ queryKey: ["last-calls"] });
    },
  });
  useLiveEvent(
    useCallback(
      (event: LiveEvent["event"]) => {
        if (event.type !== "tool.progress" || event.tool !== tool) return;
        const share = event.percentage === null ? null : event.percentage / 100;
        setProgress({ share, message: event.message });
      },
      [tool],
    ),
  );
  return { ...call, progress, cancel: () => leaving.current?.abort() };
}

/** A call that failed is told like one that went well; only where there was none it is a problem. */
async function readOutcome(response: Response): Promise<OutcomeAnswer> {
  const said = (await response
    .clone()
    .json()
    .catch(() => null)) as OutcomeAnswer | null;
  if (said !== null && typeof said === "object" && "call" in said) return said;
  throw await readProblem(response);
}
