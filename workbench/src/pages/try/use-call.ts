import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { ApiError, type Problem, readProblem } from "../../api/client.ts";
import { readLargeJson } from "../../api/large-json.ts";
import { operationQuery, sendOperation } from "../../api/operations.ts";
import { questionsQuery } from "../../api/queries.ts";
import { readServerSentEvents } from "../../api/server-sent-events.ts";
import { keepTrial } from "./try-history.ts";

type CallRequest = { args: UnknownObject; dryRun: boolean };
export type Progress = { share: number | null; message: string | null };

/** Calls the tool once and keeps the outcome; leaving the page cancels the call. */
export function useCall(tool: string) {
  const client = useQueryClient();
  const leaving = useRef<AbortController | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const call = useMutation({
    mutationFn: async ({ args, dryRun }: CallRequest): Promise<OutcomeAnswer> => {
      leaving.current = new AbortController();
      const { signal } = leaving.current;
      setProgress(null);
      const input = { name: tool, arguments: args, ...(dryRun && { dryRun }) };
      // Servers ask questions only if the client can answer; this page can.
      await client.prefetchQuery({ ...questionsQuery(), staleTime: 0, retry: false });
      const headers = { accept: "text/event-stream" };
      const response = await sendOperation("call", input, { signal, headers });
      return readOutcome(response, setProgress);
    },
    onSuccess: (outcome, request) => keepTrial({ tool, ...request, outcome }),
    onSettled: () => {
      setProgress(null);
      void client.invalidateQueries({
        queryKey: operationQuery("tools.get", { name: tool }).queryKey,
      });
    },
  });
  return { ...call, progress, cancel: () => leaving.current?.abort() };
}

/** A failed call has an outcome too; only a request without a call is a problem. */
async function readOutcome(
  response: Response,
  onProgress: (progress: Progress) => void,
): Promise<OutcomeAnswer> {
  if (!response.ok || !response.body) throw await readProblem(response);
  let outcomeText = "";
  await readServerSentEvents(response.body, ({ name, data }) => {
    if (name === "progress") onProgress(toProgress(JSON.parse(data) as ReportedProgress));
    if (name === "outcome") outcomeText = data;
  });
  if (outcomeText === "")
    throw new Error("The connection to the plane was lost before the tool answered.");
  const outcome = await readLargeJson<OutcomeAnswer | Problem>(outcomeText);
  if ("call" in outcome) return outcome;
  throw new ApiError(outcome);
}

type ReportedProgress = { progress: number; total: number | null; message: string | null };

function toProgress({ progress, total, message }: ReportedProgress): Progress {
  return { share: total === null || total <= 0 ? null : progress / total, message };
}
