import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { callOperation } from "../../api/operations.ts";

type RecordedMessages = AnswerOf<"servers.messages">;

const everyMs = 1_000;
const maxMessages = 1_000;

/** Only new ones are asked for; what the plane has dropped stays here until the next recording. */
async function readMore(server: string, before: RecordedMessages | undefined, signal: AbortSignal) {
  const after = before?.messages.at(-1)?.number;
  const read = (last?: number) =>
    callOperation(
      "servers.messages",
      { name: server, limit: maxMessages, after: last },
      { signal },
    );
  const more = await read(before?.since === null ? undefined : after);
  if (before === undefined || after === undefined) return more;
  if (more.since === null) return { ...more, messages: before.messages };
  if (more.since !== before.since) return read();
  return { ...more, messages: [...before.messages, ...more.messages].slice(-maxMessages) };
}

/** The recorded messages of a server, with the switch. Asked while the page is visible, which keeps the recording on. */
export function useServerMessages(server: string) {
  const client = useQueryClient();
  const options = queryOptions({
    queryKey: ["server-messages", server],
    queryFn: ({ signal, queryKey }) =>
      readMore(server, client.getQueryData<RecordedMessages>(queryKey), signal),
    refetchInterval: ({ state }) => (state.data?.recording ? everyMs : false),
    retry: false,
  });
  const record = useMutation({
    mutationFn: (on: boolean) => callOperation("servers.record", { name: server, on }),
    onSettled: () => client.invalidateQueries({ queryKey: options.queryKey }),
  });
  return { query: useQuery(options), record };
}
