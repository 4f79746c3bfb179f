import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import { part, remove } from "../../api/client.ts";
import { useServerChanges } from "../../app/session.ts";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { ProveFirst } from "./prove-first.tsx";

/** Removes a server from the configuration, after confirmation. */
export function RemoveServer({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const may = useServerChanges();
  const removal = useMutation({
    mutationFn: () => remove(`/servers/${part(name)}`),
    onSuccess() {
      toast(`${name} is removed.`, "neutral");
      void navigate({ to: "/servers" });
      void client.invalidateQueries({ queryKey: ["servers"], exact: true });
    },
  });
  if (may !== "allowed")
    return (
      <Dialog open onClose={onClose} title={`Remove ${name}`}>
        <ProveFirst command={`toolplane servers remove ${shellQuote(name)}`}>{null}</ProveFirst>
      </Dialog>
    );
  return (
    <Confirm
      open
      title={`Remove ${name}?`}
      action="Remove"
      busy={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate()}
      onClose={onClose}
    >
      <p>
        Removes its entry from the configuration file, ends its sessions and removes its tools from the catalogue. Call
        records stay.
      </p>
    </Confirm>
  );
}
