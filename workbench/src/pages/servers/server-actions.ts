import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { callOperation, useMutateOperation } from "../../api/operations.ts";
import { counted } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.ts";

export type ServerVerb = "connect" | "disconnect" | "refresh" | "restart";

/** Actions on one server. */
export function useServerVerb(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (verb: ServerVerb): Promise<void> => {
      if (verb === "refresh") return sayRefreshed(await callOperation("servers.refresh", { name }));
      await callOperation(`servers.${verb}`, { name });
      if (verb === "connect") toast(`${name} is connected.`);
      else if (verb === "restart") toast(`${name} was restarted.`);
      else toast(`${name} is disconnected.`, "neutral");
    },
    onError: toastError,
    onSettled: () => {
      for (const topic of ["tools", "tool-list"])
        void client.invalidateQueries({ queryKey: [topic] });
      // The button is busy until it shows the new state, so that a second click does not do the opposite.
      return client.invalidateQueries({ queryKey: ["servers"] });
    },
  });
}

export function useRefreshAll() {
  return useMutateOperation("servers.refresh", {
    onSuccess: sayRefreshed,
    onError: toastError,
    changes: ["servers"],
  });
}

function sayRefreshed({ attempted, still_failed, skipped }: AnswerOf<"servers.refresh">): void {
  const refreshedCount = attempted.length - still_failed.length;
  for (const { server, reason } of still_failed.slice(0, 3)) toast(`${server}: ${reason}`, "bad");
  const skippedText =
    skipped.length === 0 ? "" : ` ${skipped.length} skipped: ${skipped[0]?.reason}.`;
  if (refreshedCount > 0 || skippedText !== "")
    toast(
      `${counted(refreshedCount, "server")} refreshed.${skippedText}`,
      refreshedCount > 0 ? "good" : "neutral",
    );
}
