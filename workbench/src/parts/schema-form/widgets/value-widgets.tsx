import { ariaDescribedByIds, type RJSFSchema, type WidgetProps } from "@rjsf/utils";
import { useState } from "react";
import { textOrJson, type UnknownObject } from "../../../../../src/model/json.ts";
import { Select, TextArea } from "../../field.tsx";
import { VisibleText } from "../../visible-text.tsx";
import { cutText } from "../looks.tsx";

type Props = WidgetProps<UnknownObject, RJSFSchema>;

/** Any value as JSON; anything else is a string. */
export function AnythingWidget({ id, value, disabled, readonly, onChange }: Props) {
  const [text, setText] = useState<string | null>(null);
  const isTyped = text !== null && JSON.stringify(readAnything(text)) === JSON.stringify(value);
  const shown = isTyped ? text : (JSON.stringify(value) ?? "");
  return (
    <TextArea
      {...{ id, name: id }}
      rows={Math.min(12, Math.max(1, shown.split("\n").length))}
      placeholder="JSON or plain text"
      disabled={disabled || readonly}
      value={shown}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={({ target }) => {
        setText(target.value);
        onChange(readAnything(target.value));
      }}
    />
  );
}

function readAnything(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The one value there is: sent where it is required, else a person says whether it is. */
export function FixedWidget({
  id,
  name,
  value,
  disabled,
  readonly,
  required,
  schema,
  onChange,
}: Props) {
  const text = textOrJson(schema.const);
  const isFixed = value !== undefined && JSON.stringify(value) === JSON.stringify(schema.const);

  if (required && isFixed)
    return (
      <output id={id} className="break-words font-mono text-xs">
        <VisibleText text={cutText(text, 500)} />
      </output>
    );
  const options = [
    { value: "", text: required ? "Choose …" : "Not given" },
    { value: "0", text: cutText(text, 200) },
  ];
  let selected = isFixed ? "0" : "";
  // A value that is not the one has to be seen to be corrected.
  if (value !== undefined && !isFixed) {
    selected = "other";
    options.push({ value: selected, text: cutText(JSON.stringify(value), 200) });
  }
  return (
    <Select
      {...{ id, name }}
      disabled={disabled || readonly}
      value={selected}
      aria-describedby={ariaDescribedByIds(id)}
      options={options}
      onChange={({ target }) => onChange(target.value === "" ? undefined : schema.const)}
    />
  );
}
