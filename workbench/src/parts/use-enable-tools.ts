import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation } from "../api/operations.ts";
import { counted } from "./time.tsx";
import { toast, toastError } from "./toast.ts";

type Change = { names: readonly string[]; enabled: boolean };

/** Enables or disables tools of servers, with a way back. Disabled ones stay listed; models neither see nor call them. */
export function useEnableTools(page: string, onDone: () => void = () => undefined) {
  const client = useQueryClient();
  const setEnabled = useMutation({
    mutationFn: async ({ names, enabled }: Change) => {
      const reason = `${enabled ? "enabled" : "disabled"} on the page ${page}`;
      const { changed } = await callOperation(enabled ? "tools.enable" : "tools.disable", {
        names: [...names],
        reason,
      });
      return { names: changed, enabled };
    },
    onSuccess: ({ names, enabled }) => {
      const undo = { text: "Undo", act: () => setEnabled.mutate({ names, enabled: !enabled }) };
      toast(`${counted(names.length, "tool")} ${enabled ? "enabled" : "disabled"}.`, "good", undo);
      onDone();
    },
    onError: toastError,
    onSettled: () => {
      for (const topic of ["tools", "tool-list", "search", "overlays", "stats"])
        void client.invalidateQueries({ queryKey: [topic] });
    },
  });
  return setEnabled;
}
