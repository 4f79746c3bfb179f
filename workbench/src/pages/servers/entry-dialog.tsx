import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation } from "../../api/operations.ts";
import { useServerChanges } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, TextArea, TextInput } from "../../parts/field.tsx";
import { CircleCheck } from "../../parts/icons.ts";
import { Complaint, messageOf } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { counted } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.ts";
import { FormFields } from "./add-server-dialog.tsx";
import { Unlock } from "./prove-first.tsx";
import { entryFrom, type Form, formFrom } from "./typed-server.ts";

/** Saves an entry, new or changed. */
export function useSave(onSaved: (name: string) => void) {
  return useMutateOperation("servers.save", {
    onSuccess: ({ name }) => onSaved(name),
    changes: ["servers"],
  });
}

type EntryDialogProps = { name: string; entry: JsonObject; isCopy: boolean; onClose: () => void };

/** Form and JSON show one entry; it can be tested before it is saved. */
export function EntryDialog({ name, entry, isCopy, onClose }: EntryDialogProps) {
  const navigate = useNavigate();
  const isAllowed = useServerChanges() === "allowed";
  const [newName, setNewName] = useState(isCopy ? `${name}-copy` : name);
  const [text, setText] = useState(() => JSON.stringify(entry, null, 2));
  const { value, problem } = read(text);
  const copySource = isCopy ? { from: name } : {};
  const save = useSave((savedName) => {
    toast("Changes saved.");
    onClose();
    if (isCopy) void navigate({ to: "/servers/$name", params: { name: savedName } });
  });
  const test = useMutateOperation("servers.save");
  const change = (next: string) => {
    setText(next);
    test.reset();
  };
  const isReady = isAllowed && value !== null && newName.trim() !== "";
  return (
    <Dialog
      wide
      open
      isDirty={text !== JSON.stringify(entry, null, 2)}
      onClose={onClose}
      title={isCopy ? `Duplicate ${name}` : `Edit ${name}`}
      footer={
        <>
          <TestOutcome tried={test.data} />
          <Button
            icon={CircleCheck}
            disabled={!isReady}
            busy={test.isPending}
            onClick={() =>
              test.mutate({ name: newName, entry: value ?? {}, dryRun: true, ...copySource })
            }
          >
            Test
          </Button>
          <Button
            variant="primary"
            disabled={!isReady}
            busy={save.isPending}
            onClick={() =>
              value && save.mutate({ name: newName.trim(), entry: value, ...copySource })
            }
          >
            {isCopy ? "Add the copy" : "Save changes"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Unlock />
        {isCopy && (
          <Field label="Name of the copy">
            <TextInput value={newName} onChange={({ target }) => setNewName(target.value)} />
          </Field>
        )}
        <Tabs
          label="How to edit"
          tabs={[
            { name: "form", title: "Form", content: <EntryForm value={value} onChange={change} /> },
            {
              name: "json",
              title: "JSON",
              content: (
                <Field
                  label="Entry"
                  hint="*** stands for a secret; it is kept as long as you leave it."
                >
                  <TextArea
                    rows={14}
                    value={text}
                    onChange={({ target }) => change(target.value)}
                  />
                </Field>
              ),
            },
          ]}
        />
        <Complaint error={problem ?? test.error ?? save.error} />
      </div>
    </Dialog>
  );
}

function EntryForm({
  value,
  onChange,
}: {
  value: JsonObject | null;
  onChange: (text: string) => void;
}) {
  // Kept beside the entry, so that half a line is not lost while it is typed.
  const [form, setForm] = useState<Form>(() => formFrom(value ?? {}));
  if (value === null) return <p className="text-sm text-muted">Mend the JSON first.</p>;
  return (
    <FormFields
      isNamed
      form={form}
      onChange={(next) => {
        setForm(next);
        onChange(JSON.stringify(entryFrom(next, value), null, 2));
      }}
    />
  );
}

function TestOutcome({ tried }: { tried: AnswerOf<"servers.save"> | undefined }) {
  if (tried === undefined) return null;
  const { problem, tools, needsSignIn } = tried;
  const success = needsSignIn
    ? "It answers and needs a sign-in."
    : `It answers with ${counted(tools ?? 0, "tool")}.`;
  return (
    <p
      role="status"
      className={`mr-auto min-w-0 break-words text-sm ${problem ? "text-bad" : "text-good"}`}
    >
      {problem ?? success}
    </p>
  );
}

function read(text: string): { value: JsonObject | null; problem: string | null } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { value: value as JsonObject, problem: null };
    return { value: null, problem: "An entry is a JSON object." };
  } catch (thrown) {
    return { value: null, problem: `Invalid JSON: ${messageOf(thrown)}` };
  }
}
