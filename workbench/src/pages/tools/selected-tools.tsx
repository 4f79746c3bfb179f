import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation } from "../../api/operations.ts";
import type { ToolRow } from "../../api/tool-queries.ts";
import { Button } from "../../parts/button.tsx";
import { Ban, Check, X } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";
import { toast, toastError } from "../../parts/toast.tsx";

type SelectedToolsProps = { tools: readonly ToolRow[]; onDone: () => void };

/** Enables or disables the selected tools. Disabled ones stay in the list; models neither see nor call them. */
export function SelectedTools({ tools, onDone }: SelectedToolsProps) {
  const client = useQueryClient();
  const ofServers = tools.filter(({ server }) => server !== null).map(({ name }) => name);
  const set = useMutation({
    mutationFn: async ({ names, enabled }: { names: readonly string[]; enabled: boolean }) => {
      for (const name of names) await setEnabled(name, enabled);
      return { names, enabled };
    },
    onSuccess: ({ names, enabled }) => {
      const undo = { text: "Undo", act: () => set.mutate({ names, enabled: !enabled }) };
      toast(`${counted(names.length, "tool")} ${enabled ? "enabled" : "disabled"}.`, "good", undo);
      onDone();
    },
    onError: toastError,
    onSettled: () => {
      for (const topic of ["tools", "tool-list", "search", "overlays"])
        void client.invalidateQueries({ queryKey: [topic] });
    },
  });
  const cannot = set.isPending || ofServers.length === 0;
  return (
    <div
      role="toolbar"
      aria-label="Selected tools"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-4 py-1.5 text-[13px]"
    >
      <span role="status" className="mr-auto">
        {counted(tools.length, "tool")} selected
        {ofServers.length < tools.length && "; tools of your own are changed in their manifest"}
      </span>
      <Button icon={Check} disabled={cannot} onClick={() => set.mutate({ names: ofServers, enabled: true })}>
        Enable
      </Button>
      <Button
        icon={Ban}
        disabled={cannot}
        busy={set.isPending}
        onClick={() => set.mutate({ names: ofServers, enabled: false })}
      >
        Disable
      </Button>
      <Button variant="quiet" icon={X} onClick={onDone}>
        Clear
      </Button>
    </div>
  );
}

/** In the tool's overlay; the rest of it stays. */
async function setEnabled(name: string, enabled: boolean): Promise<void> {
  const { overlay } = await callOperation("tools.overlay", { name });
  const { enabled: _, ...rest } = overlay;
  const reason = enabled ? "enabled on the page Tools" : "disabled on the page Tools";
  await callOperation("tools.set", { name, manifest: enabled ? rest : { ...rest, enabled }, reason });
}
