import { hiddenValue } from "../../../../src/model/catalogue/hidden-value.ts";
import { Badge } from "../../parts/badge.tsx";
import { IconButton } from "../../parts/button.tsx";
import { Field, Select, TextInput } from "../../parts/field.tsx";
import { Trash2 } from "../../parts/icons.ts";
import { type ArgumentDraft, type ListedArgument, types, type Visibility } from "./draft.ts";

type ArgumentRowProps = {
  draft: ArgumentDraft;
  listed: ListedArgument | undefined;
  onChange: (draft: ArgumentDraft) => void;
  onDelete: () => void;
};

const visibilities = [
  { value: "shown", text: "Callers set it" },
  { value: "hidden", text: "Hidden" },
  { value: "fixed", text: "Fixed value" },
];

/** One argument. Empty fields keep the server's value. */
export function ArgumentRow({ draft, listed, onChange, onDelete }: ArgumentRowProps) {
  const { name, isListed } = draft;
  const setPart = (changes: Partial<ArgumentDraft>) => onChange({ ...draft, ...changes });
  const serverPlaceholder = (text: string) =>
    listed ? `unchanged${text === "" ? "" : `: ${text}`}` : "–";
  return (
    <li aria-label={name === "" ? "A new argument" : name} className="flex flex-col gap-3 p-4">
      <div className="flex items-end gap-3">
        {isListed ? (
          <p className="flex h-8 min-w-0 flex-1 items-center gap-2 break-all font-mono text-sm font-medium">
            {name}
            {listed?.isRequired && <Badge tone="accent">required</Badge>}
          </p>
        ) : (
          <div className="min-w-0 flex-1">
            <Field label="Name" error={name.trim() === "" ? "Enter a name." : null}>
              <TextInput
                className="font-mono"
                value={name}
                onChange={({ target }) => setPart({ name: target.value })}
              />
            </Field>
          </div>
        )}
        <Select
          aria-label="Who sets it"
          className="w-36!"
          options={visibilities}
          value={draft.visibility}
          onChange={({ target }) => setPart({ visibility: target.value as Visibility })}
        />
        {!isListed && (
          <IconButton label={`Delete ${name || "the argument"}`} icon={Trash2} onClick={onDelete} />
        )}
      </div>
      {draft.visibility === "fixed" ? (
        <FixedValue draft={draft} onChange={setPart} />
      ) : (
        <div className="grid gap-3 md:grid-cols-[150px_1fr_150px]">
          <Field label="Type">
            <Select
              options={[{ value: "", text: listed ? "Unchanged" : "–" }, ...types]}
              value={draft.type ?? ""}
              onChange={({ target }) => setPart({ type: target.value as ArgumentDraft["type"] })}
            />
          </Field>
          <Field label="Description">
            <TextInput
              placeholder={serverPlaceholder(listed?.description ?? "")}
              value={draft.description}
              onChange={({ target }) => setPart({ description: target.value })}
            />
          </Field>
          <Field label="Required">
            <Select
              options={[
                { value: "", text: listed ? "Unchanged" : "unless default" },
                { value: "yes", text: "yes" },
                { value: "no", text: "no" },
              ]}
              value={draft.required}
              onChange={({ target }) =>
                setPart({ required: target.value as ArgumentDraft["required"] })
              }
            />
          </Field>
          <Field label="Default">
            <TextInput
              value={draft.fallback}
              onChange={({ target }) => setPart({ fallback: target.value })}
            />
          </Field>
          <div className="md:col-span-2">
            <Field label="Choices" hint="Separated by commas.">
              <TextInput
                value={draft.choices}
                onChange={({ target }) => setPart({ choices: target.value })}
              />
            </Field>
          </div>
        </div>
      )}
    </li>
  );
}

/** A stored value is never shown; it can only be replaced. */
function FixedValue({
  draft,
  onChange,
}: {
  draft: ArgumentDraft;
  onChange: (part: Partial<ArgumentDraft>) => void;
}) {
  const isKept = draft.fixed === hiddenValue;
  return (
    <Field
      label="Value"
      hint="Sent with every call and never shown. Refer to secrets as ${NAME}."
      error={draft.fixed === "" ? "Enter a value." : null}
    >
      <TextInput
        className="font-mono"
        placeholder={isKept ? "A value is stored; type to replace it" : ""}
        value={isKept ? "" : draft.fixed}
        onChange={({ target }) => onChange({ fixed: target.value })}
      />
    </Field>
  );
}
