import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation } from "../api/operations.ts";
import { counted } from "./time.tsx";
import { toast, toastError } from "./toast.ts";

type Change = { names: readonly string[]; enabled: boolean };

/** Enables or disables tools of servers, with a way back. Disabled ones stay listed; models neither see nor call them. */
export function useEnableTools(page: string, onDone: () => void = () => undefined) {
  const client = useQueryClient();
  const set = useMutation({
    mutationFn: async ({ names, enabled }: Change) => {
      for (const name of names) await setEnabled(name, enabled, page);
      return { names, enabled };
    },
    onSuccess: ({ names, enabled }) => {
      const undo = { text: "Undo", act: () => set.mutate({ names, enabled: !enabled }) };
      toast(`${counted(names.length, "tool")} ${enabled ? "enabled" : "disabled"}.`, "good", undo);
      onDone();
    },
    onError: toastError,
    onSettled: () => {
      for (const topic of ["tools", "tool-list", "search", "overlays", "stats"])
        void client.invalidateQueries({ queryKey: [topic] });
    },
  });
  return set;
}

/** In the tool's overlay; the rest of it stays. */
async function setEnabled(name: string, enabled: boolean, page: string): Promise<void> {
  const { overlay } = await callOperation("tools.overlay", { name });
  const { enabled: _, ...rest } = overlay;
  const reason = `${enabled ? "enabled" : "disabled"} on the page ${page}`;
  await callOperation("tools.set", { name, manifest: enabled ? rest : { ...rest, enabled }, reason });
}
