import { useMutation, useQueryClient } from "@tanstack/react-query";
import { callOperation, useOperation } from "../../api/operations.ts";
import { useServerChanges } from "../../app/session.ts";
import { CodeView } from "../../parts/code-view.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { QueryView } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";
import { ProveFirst } from "./prove-first.tsx";

/** Trusts a server of the project, after its launch line was shown. */
export function TrustServer({ name, onClose }: { name: string; onClose: () => void }) {
  const client = useQueryClient();
  const may = useServerChanges();
  const project = useOperation("trust.list", {}, { staleTime: 0 });
  const { servers = [], settings = null, files = [], own = [] } = project.data ?? {};
  const isOwn = own.some((line) => line.name === name);
  const isOfServer = (line: { name: string }) => line.name === name;
  // The project's other settings and files are part of how its servers run.
  const projectLines = [...servers.filter(isOfServer), ...(settings ? [settings] : []), ...files];
  const lines = isOwn ? own.filter(isOfServer) : projectLines;
  const untrustedLines = lines.filter(({ trusted }) => !trusted);
  const approval = useMutation({
    mutationFn: () =>
      callOperation("trust.approve", { hashes: untrustedLines.map(({ hash }) => hash) }),
    onSuccess() {
      toast(`${name} is trusted.`);
      onClose();
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ["trust"] });
      void client.invalidateQueries({ queryKey: ["servers"] });
    },
  });
  const launchLines = (
    <QueryView query={project}>
      {() =>
        untrustedLines.map((line) => (
          <CodeView key={line.hash} wrap label={line.name} text={line.launch} />
        ))
      }
    </QueryView>
  );
  if (may !== "allowed")
    return (
      <Dialog open onClose={onClose} title={`Trust ${name}`}>
        {launchLines}
        <ProveFirst command="toolplane trust">{null}</ProveFirst>
      </Dialog>
    );
  return (
    <Confirm
      open
      title={`Trust ${name}?`}
      action="Trust"
      busy={approval.isPending || (untrustedLines.length === 0 && project.error === null)}
      error={approval.error}
      onConfirm={() => approval.mutate()}
      onClose={onClose}
    >
      <p>
        {isOwn
          ? "It is a server of your own that works in this directory. With your consent the plane starts it here:"
          : "A file of this project names it. With your consent the plane starts it and looks up what it refers to:"}
      </p>
      {launchLines}
    </Confirm>
  );
}
