import { useEffect, useState } from "react";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { shellQuote } from "../../../../src/lib/text/shell.ts";
import type { AnswerOf } from "../../../../src/operations/operations.ts";
import { useMutateOperation } from "../../api/operations.ts";
import { useServerChanges } from "../../app/session.ts";
import { Button } from "../../parts/button.tsx";
import { CodeView } from "../../parts/code-view.tsx";
import { Field, Select, TextArea, TextInput } from "../../parts/field.tsx";
import { Complaint, Loading } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.ts";
import { ProveFirst } from "./prove-first.tsx";

type Planned = AnswerOf<"servers.add">;
type Values = Record<string, string>;

type AddAnythingProps = { onDone: () => void; what: string; onTyped: (text: string) => void };

/** A person who types on is not interrupted. */
const recogniseMs = 500;

/** Adds whatever names a server: it is recognised while it is typed, then tried and written with one click. */
export function AddAnything({ onDone, what, onTyped }: AddAnythingProps) {
  const [values, setValues] = useState<Values>({});
  const [name, setName] = useState("");
  const mayWrite = useServerChanges() === "allowed";
  const plan = useMutateOperation("servers.add");
  const add = useMutateOperation("servers.add", {
    onSuccess({ name: added, tools, needsSignIn }) {
      toast(
        `Added ${added}${tools === null ? "" : `, ${tools} tools`}.${needsSignIn ? " It needs a sign-in." : ""}`,
      );
      onDone();
    },
    changes: ["servers"],
  });
  const { mutate: recognise } = plan;
  useEffect(() => {
    if (what.trim() === "" || !mayWrite) return;
    const timer = setTimeout(recognise, recogniseMs, { what: what.trim(), dryRun: true });
    return () => clearTimeout(timer);
  }, [what, mayWrite, recognise]);
  const change = (text: string) => {
    onTyped(text);
    setName("");
    plan.reset();
    add.reset();
  };
  const answer = (next: Values) => {
    setValues(next);
    add.reset();
  };
  const ownName = withoutUndefined({ name: name.trim() || undefined });
  const addServer = (force: boolean) =>
    add.mutate({ what: what.trim(), values: filledValues(values), force, ...ownName });
  const shownName = name.trim() || plan.data?.name;
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
          onKeyDown={(event) => {
            // JSON has lines; what has one is complete.
            if (
              event.key !== "Enter" ||
              event.shiftKey ||
              what.includes("\n") ||
              /^\s*[[{]/.test(what)
            )
              return;
            event.preventDefault();
            if (plan.data && !add.isPending && mayWrite) addServer(false);
          }}
        />
      </Field>
      {what.trim() !== "" && (
        <ProveFirst isAsked command={`toolplane add ${shellQuote(what.trim())}`}>
          {isProse(what) && plan.data && (
            <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
              This reads like a sentence. It would start the program “{what.trim().split(/\s/)[0]}”.
              To look for a server by what it does, use the tab Registry.
            </p>
          )}
          <Complaint error={plan.error ?? add.error} />
          {plan.data === undefined ? (
            plan.error === null && <Loading what="Recognising it" lines={3} />
          ) : (
            <>
              <Recognised planned={plan.data} values={values} onChange={answer} />
              <Field label="Name" hint="Its tools are called by it.">
                <TextInput
                  value={name}
                  placeholder={plan.data.name}
                  onChange={({ target }) => setName(target.value)}
                />
              </Field>
              <div className="flex flex-wrap justify-end gap-2">
                {add.isError && (
                  <Button variant="quiet" disabled={add.isPending} onClick={() => addServer(true)}>
                    Add {shownName} anyway
                  </Button>
                )}
                <Button variant="primary" busy={add.isPending} onClick={() => addServer(false)}>
                  {add.isError ? "Try again" : `Try and add ${shownName}`}
                </Button>
              </div>
            </>
          )}
        </ProveFirst>
      )}
    </div>
  );
}

/** Words, and nothing that only programs have: no path, option, address or version. */
function isProse(text: string): boolean {
  return /^[A-Za-z',.!? ]+$/.test(text.trim()) && text.trim().split(/\s+/).length >= 3;
}

const filledValues = (values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));

type RecognisedProps = { planned: Planned; values: Values; onChange: (values: Values) => void };
type Property = {
  title?: string;
  description?: string;
  enum?: string[];
  default?: string;
  format?: string;
};

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
        const inputProps = {
          value: values[key] ?? "",
          onChange: ({ target }: { target: { value: string } }) =>
            onChange({ ...values, [key]: target.value }),
        };
        const isSecret = property.format === "password";
        const usage = isSecret
          ? "Used to try it; the entry refers to a variable of this name."
          : "";
        const hint = [property.description ?? "", usage].filter((part) => part !== "").join(" ");
        return (
          <Field
            key={key}
            label={`${property.title ?? key}${required.includes(key) ? "" : " (optional)"}`}
            hint={hint}
          >
            {property.enum ? (
              <Select
                {...inputProps}
                options={["", ...property.enum].map((value) => ({ value, text: value || "—" }))}
              />
            ) : (
              <TextInput
                {...inputProps}
                type={isSecret ? "password" : "text"}
                placeholder={property.default ?? ""}
              />
            )}
          </Field>
        );
      })}
      {notes.map((note) => (
        <p key={note} className="break-words text-sm text-muted">
          {note}
        </p>
      ))}
    </>
  );
}
