import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation, useOperation } from "../../api/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Import } from "../../parts/icons.ts";
import { Complaint, Empty, QueryView } from "../../parts/states.tsx";
import { counted } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { renderSecrets } from "../clients/kept-apart.ts";
import { ProveFirst, Unlock } from "./prove-first.tsx";

/** Servers of other clients on this machine. The preview writes nothing. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const preview = useOperation("servers.import", { dryRun: true }, { gcTime: 0 });
  return (
    <Dialog wide open onClose={onClose} title="Import from other clients">
      <QueryView query={preview} what="Looking at Claude, Cursor, VS Code and others">
        {(answer) =>
          answer.found.length === 0 ? (
            <Empty icon={Import} title="No other client has servers">
              Looked at Claude, Cursor, VS Code, Windsurf, Codex, Zed, Gemini and twelve other
              clients.
            </Empty>
          ) : (
            <FoundServers answer={answer} onDone={onClose} />
          )
        }
      </QueryView>
    </Dialog>
  );
}

function FoundServers({
  answer,
  onDone,
}: {
  answer: AnswerOf<"servers.import">;
  onDone: () => void;
}) {
  const importServers = useMutateOperation("servers.import", {
    onSuccess({ imported }) {
      toast(imported.length === 0 ? "No new servers." : `Imported ${imported.join(", ")}.`);
      onDone();
    },
    changes: ["servers"],
  });
  return (
    <div className="flex flex-col gap-4 text-sm">
      <Unlock />
      <ul className="divide-y divide-line rounded-md border border-line">
        {answer.found.map(({ client: name, servers }) => (
          <li key={name} className="flex flex-wrap items-center gap-2 px-3 py-2">
            <span className="font-medium">{name}</span>
            {servers.map((server) => (
              <Badge key={server} tone={answer.imported.includes(server) ? "accent" : "neutral"}>
                {server}
              </Badge>
            ))}
          </li>
        ))}
      </ul>
      {answer.skipped.map(({ name, reason }) => (
        <p key={name} className="text-muted">
          {name} is left out: {reason}
        </p>
      ))}
      {answer.secrets.length > 0 && <p className="text-muted">{renderSecrets(answer.secrets)}</p>}
      {answer.holdSecrets.length > 0 && (
        <p className="text-warn">
          {answer.holdSecrets.join(", ")}: contains a secret in plain text. Use a variable instead.
        </p>
      )}
      <Complaint error={importServers.error} />
      <ProveFirst isAsked command="toolplane import">
        <Button
          variant="primary"
          className="self-end"
          disabled={answer.imported.length === 0}
          busy={importServers.isPending}
          onClick={() => importServers.mutate({})}
        >
          Import {counted(answer.imported.length, "server")}
        </Button>
      </ProveFirst>
    </div>
  );
}
