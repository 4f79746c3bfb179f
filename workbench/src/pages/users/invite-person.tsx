import { useState } from "react";
import { useMutateOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";
import { exactTime } from "../../parts/time.tsx";
import { scopeChoices } from "./create-key.tsx";

/** Asks who it is, and shows the link once. */
export function InvitePerson({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState({ user: "", groups: "", scope: "call" });
  const bindField = (key: keyof typeof form) => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) =>
      setForm({ ...form, [key]: event.target.value }),
  });
  const invite = useMutateOperation("people.invite", { gcTime: 0, changes: ["people", "users"] });
  if (invite.data)
    return (
      <Dialog
        open
        onClose={onClose}
        title={`${invite.data.person.user} is invited`}
        footer={<Button onClick={onClose}>Done</Button>}
      >
        <p className="mb-3 text-sm">
          Send this link. It works once, until {exactTime(invite.data.expiresAt)}, and is not shown
          again.
        </p>
        <CodeView wrap label="link" text={invite.data.url} />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Invite a person" isDirty={form.user !== ""}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const groups = form.groups.split(",").flatMap((group) => group.trim() || []);
          const groupInput = groups.length === 0 ? {} : { groups };
          invite.mutate({ user: form.user.trim(), scopes: [form.scope], ...groupInput });
        }}
      >
        <Field label="Name or e-mail address">
          <TextInput required {...bindField("user")} placeholder="ann@example.org" />
        </Field>
        <Field label="Groups" hint="Separated by commas.">
          <TextInput {...bindField("groups")} />
        </Field>
        <Field label="Scope" hint="The most that clients get of this person.">
          <Select options={scopeChoices} {...bindField("scope")} />
        </Field>
        <Complaint error={invite.error} />
        <Button
          type="submit"
          variant="primary"
          className="self-end"
          busy={invite.isPending}
          disabled={form.user.trim() === ""}
        >
          Invite
        </Button>
      </form>
    </Dialog>
  );
}
