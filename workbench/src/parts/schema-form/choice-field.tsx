import type { FieldProps, RJSFSchema } from "@rjsf/utils";
import { useState } from "react";
import { objectOrEmpty } from "../../../../src/model/json.ts";

import { Select } from "../field.tsx";
import { valueFor } from "./branches.ts";
import { branchOf } from "./check-value.ts";
import { FieldName, nameIn } from "./field-name.tsx";
import { aboutClass, bareUiSchema, cutText, isBare, SchemaText } from "./looks.tsx";
import { FieldErrorTemplate } from "./templates.tsx";

type ChoiceProps = FieldProps<unknown, RJSFSchema> & { options: readonly RJSFSchema[] };

/** `oneOf` and `anyOf`: which one it is, and the fields of that one. Nothing is chosen before a person or a value does. */
export function ChoiceField(props: ChoiceProps) {
  const {
    schema,
    options,
    formData: value,
    fieldPathId,
    registry,
    required,
    name,
    onChange,
    disabled,
    readonly,
  } = props;
  const { rootSchema, fields } = registry;
  const { $id, path } = fieldPathId;
  const [chosen, choose] = useState(-1);
  const branch = branchOf(options, value, rootSchema, chosen);
  const shared = objectOrEmpty(schema.properties);
  const pick = (to: number) => {
    choose(to);
    const next = valueFor(options, to, { value, shared, root: rootSchema });
    onChange(path.length === 0 ? (next ?? {}) : next, path, undefined, $id);
  };
  const { SchemaField } = fields;
  const option = options[branch];
  // The fields beside the choice have the name already.
  const isNamed = path.length === 0 || Object.keys(shared).length > 0 || isBare(props.uiSchema);
  const title = schema.title ?? props.title ?? name;
  const body = (
    <>
      <Select
        id={`${$id}__choice`}
        aria-label={`Which kind of ${nameIn(path) || "arguments"}`}
        disabled={disabled || readonly || false}
        value={branch < 0 ? "" : String(branch)}
        options={[
          { value: "", text: required || path.length === 0 ? "Choose …" : "Not given" },
          ...options.map((choice, index) => ({
            value: String(index),
            text: cutText(choice.title ?? `Choice ${index + 1}`, 80),
          })),
        ]}
        onChange={({ target }) => pick(target.value === "" ? -1 : Number(target.value))}
      />
      {option && SchemaField && (
        <SchemaField
          {...props}
          // Another choice has other fields, also where they are called the same.
          key={branch}
          schema={{ ...withType(option, schema), title: String(title) }}
          uiSchema={bareUiSchema}
          required={required ?? false}
        />
      )}
      {!option && (
        <FieldErrorTemplate errors={props.errorSchema?.__errors ?? []} fieldPathId={fieldPathId} />
      )}
    </>
  );
  if (isNamed) return <div className="flex min-w-0 flex-col gap-2">{body}</div>;
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-3">
      <legend className="px-1 text-xs font-medium">
        <FieldName path={path} title={title} />
        {required && <span className="text-bad"> *</span>}
      </legend>
      {schema.description && <SchemaText className={aboutClass} text={schema.description} />}
      {body}
    </fieldset>
  );
}

function withType(option: RJSFSchema, { type }: RJSFSchema): RJSFSchema {
  if (type === undefined || option.type !== undefined) return option;
  return { ...option, type };
}
