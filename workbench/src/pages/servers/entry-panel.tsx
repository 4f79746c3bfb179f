import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import { entryQuery } from "../../api/queries.ts";
import { useServerChanges } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Copy, Pencil } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { messageOf, QueryView } from "../../parts/states.tsx";
import { toast, toastError } from "../../parts/toast.ts";
import { EntryDialog, useSave } from "./entry-dialog.tsx";

/** The server's entry as it is written, and what can be done with it. */
export function EntryPanel({ name }: { name: string }) {
  const entry = useQuery(entryQuery(name));
  const [dialog, setDialog] = useState<"edit" | "copy" | null>(null);
  const isOn = entry.data?.entry.enabled !== false;
  return (
    <Panel
      title="Configuration"
      actions={
        entry.data && (
          <>
            <Button variant="quiet" icon={Pencil} onClick={() => setDialog("edit")}>
              Edit
            </Button>
            <Button variant="quiet" icon={Copy} onClick={() => setDialog("copy")}>
              Duplicate
            </Button>
            <Switch name={name} entry={entry.data.entry as JsonObject} isOn={isOn} />
          </>
        )
      }
    >
      {entry.error ? (
        <p className="text-sm text-muted">{messageOf(entry.error)}</p>
      ) : (
        <QueryView query={entry}>
          {({ entry: writtenEntry }) => (
            <CodeView
              wrap
              label="the entry, secrets masked"
              text={JSON.stringify(writtenEntry, null, 2)}
            />
          )}
        </QueryView>
      )}
      {dialog !== null && entry.data && (
        <EntryDialog
          name={name}
          entry={entry.data.entry as JsonObject}
          isCopy={dialog === "copy"}
          onClose={() => setDialog(null)}
        />
      )}
    </Panel>
  );
}

function Switch({ name, entry, isOn }: { name: string; entry: JsonObject; isOn: boolean }) {
  const isAllowed = useServerChanges() === "allowed";
  const save = useSave(() => toast(`${name} is ${isOn ? "disabled" : "enabled"}.`));
  const { enabled: _, ...otherKeys } = entry;
  const nextEntry: JsonObject = isOn ? { ...otherKeys, enabled: false } : otherKeys;
  return (
    <Button
      disabled={!isAllowed}
      busy={save.isPending}
      onClick={() => save.mutate({ name, entry: nextEntry }, { onError: toastError })}
    >
      {isOn ? "Disable" : "Enable"}
    </Button>
  );
}
