import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { RefreshReport, ServerStatus } from "../../../../src/model/servers/server.ts";
import { part, post } from "../../api/client.ts";
import { counted } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.tsx";

export type ServerVerb = "connect" | "disconnect" | "refresh";

/** Actions on one server. */
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
    onSettled: () => {
      for (const topic of ["tools", "tool-list"]) void client.invalidateQueries({ queryKey: [topic] });
      // The button is busy until it shows the new state, so that a second click does not do the opposite.
      return client.invalidateQueries({ queryKey: ["servers"] });
    },
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
  const left = skipped.length === 0 ? "" : ` ${skipped.length} skipped: ${skipped[0]?.reason}.`;
  if (good > 0 || left !== "") toast(`${counted(good, "server")} refreshed.${left}`, good > 0 ? "good" : "neutral");
}
