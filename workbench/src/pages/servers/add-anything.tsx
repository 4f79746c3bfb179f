import { useState } from "react";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation } from "../../api/operations.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Field, Select, TextArea, TextInput } from "../../parts/field.tsx";
import { Complaint } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { ProveFirst } from "./prove-first.tsx";

type Planned = AnswerOf<"servers.add">;
type Values = Record<string, string>;

type AddAnythingProps = { onDone: () => void; what: string; onTyped: (text: string) => void };

/** Adds whatever names a server: it is recognised first, then tried and written. */
export function AddAnything({ onDone, what, onTyped }: AddAnythingProps) {
  const [values, setValues] = useState<Values>({});
  const plan = useMutateOperation("servers.add");
  const add = useMutateOperation("servers.add", {
    onSuccess({ name, tools, needsSignIn }) {
      toast(`Added ${name}${tools === null ? "" : `, ${tools} tools`}.${needsSignIn ? " It needs a sign-in." : ""}`);
      onDone();
    },
    changes: ["servers"],
  });
  const change = (text: string) => {
    onTyped(text);
    plan.reset();
    add.reset();
  };
  const answer = (next: Values) => {
    setValues(next);
    add.reset();
  };
  return (
    <div className="flex flex-col gap-4">
      <Field
        label="What to add"
        hint="A command line, a package, docker:IMAGE, a URL, an OpenAPI or .mcpb file, a name of the MCP registry, or JSON."
      >
        <TextArea
          rows={3}
          value={what}
          placeholder="npx -y @modelcontextprotocol/server-everything"
          onChange={({ target }) => change(target.value)}
        />
      </Field>
      {what.trim() !== "" && (
        <ProveFirst isAsked command={`toolplane add ${shellQuote(what.trim())}`}>
          <Complaint error={plan.error ?? add.error} />
          {plan.data === undefined ? (
            <Button
              className="self-end"
              busy={plan.isPending}
              onClick={() => plan.mutate({ what: what.trim(), dryRun: true })}
            >
              Recognise
            </Button>
          ) : (
            <>
              <Recognised planned={plan.data} values={values} onChange={answer} />
              <Button
                variant="primary"
                className="self-end"
                busy={add.isPending}
                onClick={() => add.mutate({ what: what.trim(), values: given(values), force: add.isError })}
              >
                {add.isError ? `Add ${plan.data.name} anyway` : `Try and add ${plan.data.name}`}
              </Button>
            </>
          )}
        </ProveFirst>
      )}
    </div>
  );
}

const given = (values: Values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

type RecognisedProps = { planned: Planned; values: Values; onChange: (values: Values) => void };
type Property = { title?: string; description?: string; enum?: string[]; default?: string; format?: string };

function Recognised({ planned, values, onChange }: RecognisedProps) {
  const { entry, form, notes } = planned;
  const { properties = {}, required = [] } = (form ?? {}) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return (
    <>
      <CodeView wrap label="entry" text={JSON.stringify(entry, null, 2)} />
      {Object.entries(properties).map(([key, property]) => {
        const bound = {
          value: values[key] ?? "",
          onChange: ({ target }: { target: { value: string } }) => onChange({ ...values, [key]: target.value }),
        };
        const isSecret = property.format === "password";
        const use = isSecret ? "Used to try it; the entry refers to a variable of this name." : "";
        const hint = [property.description ?? "", use].filter((part) => part !== "").join(" ");
        return (
          <Field key={key} label={`${property.title ?? key}${required.includes(key) ? "" : " (optional)"}`} hint={hint}>
            {property.enum ? (
              <Select {...bound} options={["", ...property.enum].map((value) => ({ value, text: value || "—" }))} />
            ) : (
              <TextInput {...bound} type={isSecret ? "password" : "text"} placeholder={property.default ?? ""} />
            )}
          </Field>
        );
      })}
      {notes.map((note) => (
        <p key={note} className="break-words text-[13px] text-muted">
          {note}
        </p>
      ))}
    </>
  );
}
