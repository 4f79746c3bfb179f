import { useNavigate } from "@tanstack/react-router";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import { useServerChanges } from "../../app/session.ts";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { useRemoval } from "../../parts/use-removal.ts";
import { ProveFirst } from "./prove-first.tsx";

/** Removes a server from the configuration, after confirmation. */
export function RemoveServer({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  const may = useServerChanges();
  const removal = useRemoval("servers", () => void navigate({ to: "/servers" }));
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
      onConfirm={() => removal.mutate([name])}
      onClose={onClose}
    >
      <p>
        Removes its entry from the configuration file, ends its sessions and removes its tools from
        the catalogue. Call records stay. You can undo it for a moment.
      </p>
    </Confirm>
  );
}
