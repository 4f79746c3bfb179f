import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RefreshReport, ServerStatus } from "../../../../src/model/servers/server.ts";
import { part, post } from "../../api/client.ts";
import { toast, toastError } from "../../parts/toast.tsx";

export type ServerVerb = "connect" | "disconnect" | "refresh";

/** What can be done to one server. The answer is in the events as well, but not everybody waits for those. */
export function useServerVerb(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (verb: ServerVerb) => {
      const answer = await post<ServerStatus | RefreshReport>(`/servers/${part(name)}/${verb}`);
      return { verb, answer };
    },
    onSuccess({ verb, answer }) {
      if (verb === "connect") toast(`${name} is connected.`);
      if (verb === "disconnect") toast(`${name} is disconnected.`, "neutral");
      if (verb === "refresh") sayRefreshed(answer as RefreshReport);
    },
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ["servers"] }),
  });
}

export function useRefreshAll() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<RefreshReport>("/registry/refresh"),
    onSuccess: sayRefreshed,
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ["servers"] }),
  });
}

function sayRefreshed({ attempted, still_failed, skipped }: RefreshReport): void {
  const good = attempted.length - still_failed.length;
  for (const { server, reason } of still_failed.slice(0, 3)) toast(`${server}: ${reason}`, "bad");
  const rested = skipped.length === 0 ? "" : ` ${skipped.length} left alone: ${skipped[0]?.reason}.`;
  if (good > 0 || rested !== "") toast(`${good} listed again.${rested}`, good > 0 ? "good" : "neutral");
}
