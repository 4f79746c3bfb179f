import { lazy, Suspense, useState } from "react";
import type { JsonObject, UnknownObject } from "../../../../src/model/json.ts";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { readJson } from "../../api/exact-json.ts";
import { useOperation } from "../../api/operations.ts";
import { ArgumentDifference } from "../../parts/argument-difference.tsx";
import { Button } from "../../parts/button.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { escapeHidden } from "../../parts/hidden-characters.ts";
import { Pencil, Undo2 } from "../../parts/icons.ts";
import { Loading } from "../../parts/states.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ArgumentList } from "./argument-list.tsx";

/** Loaded on demand: most calls are approved as they are. */
const SchemaForm = lazy(async () => ({
  default: (await import("../../parts/schema-form/schema-form.tsx")).SchemaForm,
}));

type EditorProps = {
  heldCall: HeldAnswer;
  /** Undefined: unchanged. Null: invalid JSON. */
  onChange: (args: JsonObject | null | undefined) => void;
};

/** The arguments, editable where allowed. Injected ones are never editable. */
export function ArgumentsEditor({ heldCall, onChange }: EditorProps) {
  const [text, setText] = useState<string | null>(null);
  const edit = (next: string | null) => {
    setText(next);
    onChange(next === null ? undefined : readArguments(next));
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <p className="text-xs font-medium">Arguments</p>
        {heldCall.allowEdit &&
          (text === null ? (
            <Button
              variant="quiet"
              icon={Pencil}
              data-key="e"
              onClick={() => edit(renderArguments(heldCall.arguments))}
            >
              Change
            </Button>
          ) : (
            <Button variant="quiet" icon={Undo2} onClick={() => edit(null)}>
              Reset
            </Button>
          ))}
      </div>
      {text === null ? (
        <ArgumentList args={heldCall.shown} before={heldCall.before} injected={heldCall.injected} />
      ) : (
        <Editing heldCall={heldCall} text={text} onEdit={edit} />
      )}
    </div>
  );
}

const readArguments = (text: string) =>
  problemWith(text) === null ? readJson<JsonObject>(text) : null;

const renderArguments = (args: unknown) => escapeHidden(JSON.stringify(args, null, 2));

type EditingProps = { heldCall: HeldAnswer; text: string; onEdit: (text: string) => void };

/** Try's form and the JSON of the same arguments, with what is different from the request. */
function Editing({ heldCall, text, onEdit }: EditingProps) {
  const problem = problemWith(text);
  const [validText, setValidText] = useState(text);
  const changeText = (next: string) => {
    if (problemWith(next) === null) setValidText(next);
    onEdit(next);
  };
  const tabs = [
    {
      name: "form",
      title: "Form",
      content: <EditForm heldCall={heldCall} text={validText} onEdit={changeText} />,
    },
    {
      name: "json",
      title: "JSON",
      content: (
        <Field label="Edited arguments" hint="Validated like those of any call." error={problem}>
          <TextArea
            className="[field-sizing:content]"
            rows={text.split("\n").length + 1}
            value={text}
            onChange={(event) => changeText(event.target.value)}
          />
        </Field>
      ),
    },
  ];
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Tabs label="Edit the arguments" tabs={tabs} />
      {problem === null && (
        <ArgumentDifference before={heldCall.arguments} after={readJson<JsonObject>(text)} />
      )}
    </div>
  );
}

function EditForm({ heldCall, text, onEdit }: EditingProps) {
  const tool = useOperation("tools.get", { name: heldCall.tool }).data;
  if (tool === undefined) return <Loading />;
  const exactArguments = readJson<UnknownObject>(text);
  return (
    <Suspense fallback={<Loading />}>
      <SchemaForm
        schema={tool.parameters}
        value={JSON.parse(text) as UnknownObject}
        onChange={(next) =>
          onEdit(
            renderArguments(keepUntouched(next, JSON.parse(text) as UnknownObject, exactArguments)),
          )
        }
        idPrefix={`held-${heldCall.id}`}
      />
    </Suspense>
  );
}

/** Forms use double precision; untouched values keep their digits, also those within a value that was touched. */
export function keepUntouched(
  next: UnknownObject,
  before: UnknownObject,
  written: UnknownObject,
): UnknownObject {
  return keepExact(next, before, written) as UnknownObject;
}

function keepExact(next: unknown, before: unknown, written: unknown): unknown {
  if (JSON.stringify(next) === JSON.stringify(before)) return written;
  if (!isContainer(next) || !isContainer(before) || !isContainer(written)) return next;
  const keepMember = (name: string, changed: unknown) =>
    Object.hasOwn(before, name) ? keepExact(changed, before[name], written[name]) : changed;
  if (Array.isArray(next)) return next.map((changed, index) => keepMember(String(index), changed));
  return Object.fromEntries(
    Object.entries(next).map(([name, changed]) => [name, keepMember(name, changed)]),
  );
}

const isContainer = (value: unknown): value is UnknownObject =>
  typeof value === "object" && value !== null;

/** Why a text is no arguments, or null. */
export function problemWith(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return null;
    return "Arguments must be an object: { … }.";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
