import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { callOperation } from "../../api/operations.ts";

type RecordedMessages = AnswerOf<"servers.messages">;

const pollMs = 1_000;
const maxMessages = 1_000;

/** Only new ones are asked for; what the plane has dropped stays here until the next recording. */
async function readMore(
  server: string,
  recordedBefore: RecordedMessages | undefined,
  signal: AbortSignal,
) {
  const lastNumber = recordedBefore?.messages.at(-1)?.number;
  const read = (afterNumber?: number) =>
    callOperation(
      "servers.messages",
      { name: server, limit: maxMessages, after: afterNumber },
      { signal },
    );
  const answer = await read(recordedBefore?.since === null ? undefined : lastNumber);
  if (recordedBefore === undefined || lastNumber === undefined) return answer;
  if (answer.since === null) return { ...answer, messages: recordedBefore.messages };
  if (answer.since !== recordedBefore.since) return read();
  return {
    ...answer,
    messages: [...recordedBefore.messages, ...answer.messages].slice(-maxMessages),
  };
}

/** The recorded messages of a server, with the switch. Asked while the page is visible, which keeps the recording on. */
export function useServerMessages(server: string) {
  const client = useQueryClient();
  const options = queryOptions({
    queryKey: ["server-messages", server],
    queryFn: ({ signal, queryKey }) =>
      readMore(server, client.getQueryData<RecordedMessages>(queryKey), signal),
    refetchInterval: ({ state }) => (state.data?.recording ? pollMs : false),
    retry: false,
  });
  const record = useMutation({
    mutationFn: (on: boolean) => callOperation("servers.record", { name: server, on }),
    onSettled: () => client.invalidateQueries({ queryKey: options.queryKey }),
  });
  return { query: useQuery(options), record };
}
