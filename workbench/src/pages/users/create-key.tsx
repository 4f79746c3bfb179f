import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { callOperation } from "../../api/operations.ts";
import { beginSession } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";

export const scopeChoices = [
  { value: "read", text: "read: look at tools, servers and their own calls" },
  { value: "call", text: "call: also call tools and approve" },
  { value: "admin", text: "admin: also manage the plane" },
];
const expiryChoices = [
  { value: "30", text: "30 days" },
  { value: "90", text: "90 days" },
  { value: "365", text: "a year" },
  { value: "", text: "never" },
];
const dayMs = 86_400_000;

/** Creates a key and shows its secret once. With the first one this page signs in, since every caller needs one then. */
export function CreateKey({
  user,
  isFirst = false,
  onClose,
}: {
  user: string;
  isFirst?: boolean;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const scope = isFirst ? "admin" : "call";
  const [form, setForm] = useState({ name: "", user, groups: "", persona: "", scope, days: "90" });
  const bindField = (key: keyof typeof form) => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [key]: event.target.value }),
  });
  const create = useMutation({
    async mutationFn() {
      const createdKey = await callOperation("keys.create", toNewKey(form));
      if (isFirst) await beginSession(createdKey.secret);
      return createdKey;
    },
    onSettled: () => {
      for (const topic of ["keys", "users", "personas", "session"])
        void client.invalidateQueries({ queryKey: [topic] });
    },
    gcTime: 0,
  });
  if (create.data)
    return (
      <Dialog
        open
        onClose={onClose}
        title={`The key ${create.data.key.name}`}
        footer={<Button onClick={onClose}>Done</Button>}
      >
        <p className="mb-3 text-sm">
          Copy it now: it cannot be shown again.
          {isFirst &&
            " This page is signed in with it; every other client needs a key from now on."}
        </p>
        <CodeView wrap label="key" text={create.data.secret} />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={isFirst ? "Create the first key" : "Create a key"}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        {isFirst && (
          <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            From the first key on, every client needs one, also those that are connected now. Make
            your own first, with the scope admin; then one for each colleague.
          </p>
        )}
        <Field label="Name" hint="Its purpose.">
          <TextInput required {...bindField("name")} placeholder="nightly report" />
        </Field>
        <Field label="User" hint="The key acts as this user. Default: you.">
          <TextInput {...bindField("user")} />
        </Field>
        <Field label="Groups" hint="Separated by commas.">
          <TextInput {...bindField("groups")} />
        </Field>
        <Field label="Persona" hint="Gives the key the tools of this persona.">
          <TextInput {...bindField("persona")} />
        </Field>
        <Field label="Scope">
          <Select options={scopeChoices} {...bindField("scope")} />
        </Field>
        <Field label="Expires">
          <Select options={expiryChoices} {...bindField("days")} />
        </Field>
        <Complaint error={create.error} />
        <Button
          type="submit"
          variant="primary"
          className="self-end"
          busy={create.isPending}
          disabled={form.name.trim() === ""}
        >
          Create
        </Button>
      </form>
    </Dialog>
  );
}

type NewKey = Record<"name" | "user" | "groups" | "persona" | "scope" | "days", string>;

function toNewKey({ name, user, groups, persona, scope, days }: NewKey) {
  const groupNames = groups.split(",").flatMap((group) => group.trim() || []);
  const expiryMs = Date.now() + Number(days) * dayMs;
  return {
    name: name.trim(),
    scopes: [scope],
    ...withoutUndefined({ user: user.trim() || undefined, persona: persona.trim() || undefined }),
    ...(groupNames.length > 0 && { groups: groupNames }),
    ...(days !== "" && { expiresAt: new Date(expiryMs).toISOString() }),
  };
}
