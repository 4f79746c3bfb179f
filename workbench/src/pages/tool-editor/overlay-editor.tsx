import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useRef, useState } from "react";
import type { OverlayView, ToolOverlay } from "../../../../src/model/catalogue/tool.ts";
import { callOperation } from "../../api/operations.ts";
import { useMay } from "../../app/session.ts";
import { UnsavedChanges } from "../../app/unsaved-changes.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { Field, TextArea, TextInput } from "../../parts/field.tsx";
import { Check, Plus, RotateCcw } from "../../parts/icons.ts";
import { Panel } from "../../parts/page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";
import { ArgumentRow } from "./argument-row.tsx";
import { type ArgumentDraft, emptyDraft, listedArguments, toDrafts, toOverlay } from "./draft.ts";
import { OverlayMetadata } from "./overlay-metadata.tsx";
import { OverlayPreview } from "./overlay-preview.tsx";

/** Arguments on the left, the model's view on the right. */
export function OverlayEditor({ view }: { view: OverlayView }) {
  const [description, setDescription] = useState(view.overlay.description ?? "");
  const [drafts, setDrafts] = useState(() => toDrafts(view));
  const [remarks, setRemarks] = useState<ToolOverlay>(view.overlay);
  const [reason, setReason] = useState("");
  const [nextKey, setNextKey] = useState(drafts.length);
  const overlay = toOverlay(remarks, description, drafts);
  const listed = listedArguments(view);
  const change = (draft: ArgumentDraft) =>
    setDrafts(drafts.map((existing) => (existing.key === draft.key ? draft : existing)));
  const isNameless = drafts.some(({ name }) => name.trim() === "");
  const [saved] = useState(() => JSON.stringify(overlay));
  const isDone = useRef(false);
  const isDirty = JSON.stringify(overlay) !== saved || isNameless;
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <UnsavedChanges isDirty={isDirty} isDone={isDone} />
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title="Description">
          <Field
            label="Instead of the server's"
            hint={`The server says: ${view.listed.description}`}
          >
            <TextArea
              rows={3}
              className="font-sans! text-sm!"
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          </Field>
        </Panel>
        <Panel
          flush
          title="Arguments"
          actions={
            <Button
              icon={Plus}
              onClick={() => {
                setDrafts([...drafts, emptyDraft(nextKey)]);
                setNextKey(nextKey + 1);
              }}
            >
              Add an argument
            </Button>
          }
        >
          <ul className="divide-y divide-line">
            {drafts.map((draft) => (
              <ArgumentRow
                key={draft.key}
                draft={draft}
                listed={listed.get(draft.name)}
                onChange={change}
                onDelete={() => setDrafts(drafts.filter(({ key }) => key !== draft.key))}
              />
            ))}
          </ul>
          {drafts.length === 0 && <p className="p-4 text-sm text-muted">No arguments.</p>}
        </Panel>
        <OverlayMetadata value={remarks} onChange={setRemarks} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <OverlayPreview
          name={view.tool}
          overlay={overlay}
          args={drafts.length}
          isReady={!isNameless}
        />
        <Panel title="Save changes">
          <Field label="Reason" hint="Stored with the change.">
            <TextInput
              value={reason}
              maxLength={2_000}
              onChange={(event) => setReason(event.target.value)}
            />
          </Field>
          <Saving
            view={view}
            overlay={overlay}
            reason={reason}
            isReady={!isNameless}
            isDone={isDone}
          />
        </Panel>
      </div>
    </div>
  );
}

type SavingProps = {
  view: OverlayView;
  overlay: ToolOverlay;
  reason: string;
  isReady: boolean;
  /** Set before the page is left with nothing to lose. */
  isDone: RefObject<boolean>;
};

function Saving({ view, overlay, reason, isReady, isDone }: SavingProps) {
  const mayEdit = useMay("admin");
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isResetting, setResetting] = useState(false);
  const change = { name: view.tool, reason: reason.trim() };
  const finish = async (notice: string) => {
    await Promise.all(
      ["tools", "tool-list", "search", "overlays", "stats"].map((topic) =>
        client.invalidateQueries({ queryKey: [topic] }),
      ),
    );
    toast(notice);
    isDone.current = true;
    await navigate({ to: "/tools/$name", params: { name: view.tool } });
  };
  const save = useMutation({
    mutationFn: () => callOperation("tools.set", { ...change, manifest: overlay }),
    onSuccess: () => finish("Changes saved."),
  });
  const reset = useMutation({
    mutationFn: () => callOperation("tools.delete", change),
    onSuccess: () => finish("Reset to the server's definition."),
  });
  return (
    <div className="mt-3 flex flex-col gap-3">
      <Complaint error={save.error} />
      {view.source === "config" && (
        <p className="text-xs text-muted">
          The configuration has an overlay for this tool; your changes replace it entirely.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          icon={Check}
          disabled={!mayEdit || !isReady}
          busy={save.isPending}
          onClick={() => save.mutate()}
        >
          Save
        </Button>
        {view.source === "stored" && (
          <Button icon={RotateCcw} disabled={!mayEdit} onClick={() => setResetting(true)}>
            Reset to server's
          </Button>
        )}
      </div>
      <Confirm
        open={isResetting}
        title="Reset to the server's definition?"
        action="Reset to server's"
        busy={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate()}
        onClose={() => setResetting(false)}
      >
        <p>Models see {view.tool} as its server or the configuration describes it.</p>
      </Confirm>
    </div>
  );
}
