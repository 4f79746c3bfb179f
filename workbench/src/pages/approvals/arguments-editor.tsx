import { useState } from "react";
import type { JsonObject } from "../../../../src/model/json.ts";
import type { HeldAnswer } from "../../api/approval-queries.ts";
import { readJson } from "../../api/exact-json.ts";
import { Button } from "../../parts/button.tsx";
import { Field, TextArea } from "../../parts/field.tsx";
import { escapeHidden } from "../../parts/hidden-characters.ts";
import { Pencil, Undo2 } from "../../parts/icons.ts";
import { ArgumentList } from "./argument-list.tsx";

type EditorProps = {
  held: HeldAnswer;
  /** Undefined: unchanged. Null: invalid JSON. */
  onChange: (args: JsonObject | null | undefined) => void;
};

/** The arguments, editable where allowed. Injected ones are never editable. */
export function ArgumentsEditor({ held, onChange }: EditorProps) {
  const [text, setText] = useState<string | null>(null);
  const problem = text === null ? null : problemWith(text);
  const edit = (next: string | null) => {
    setText(next);
    onChange(next === null ? undefined : problemWith(next) === null ? readJson<JsonObject>(next) : null);
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <p className="text-xs font-medium">Arguments</p>
        {held.allowEdit &&
          (text === null ? (
            <Button
              variant="quiet"
              icon={Pencil}
              onClick={() => edit(escapeHidden(JSON.stringify(held.arguments, null, 2)))}
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
        <ArgumentList args={held.shown} before={held.before} injected={held.injected} />
      ) : (
        <Field label="Edited arguments" hint="Validated like those of any call." error={problem}>
          <TextArea
            rows={Math.min(16, text.split("\n").length + 1)}
            value={text}
            onChange={(event) => edit(event.target.value)}
          />
        </Field>
      )}
    </div>
  );
}

function problemWith(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? null
      : "Arguments must be an object: { … }.";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
