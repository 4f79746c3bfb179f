import {
  ariaDescribedByIds,
  type BaseInputTemplateProps,
  enumOptionsIndexForValue,
  enumOptionsValueForIndex,
  getInputProps,
  type RegistryWidgetsType,
  type RJSFSchema,
  type WidgetProps,
} from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { Select, TextArea, TextInput } from "../field.tsx";

type Props = WidgetProps<UnknownObject, RJSFSchema>;

/** Every input of one line. What is emptied is left out of the call. */
export function BaseInputTemplate(props: BaseInputTemplateProps<UnknownObject, RJSFSchema>) {
  const { id, value, disabled, readonly, schema, type, options, placeholder, onChange, onChangeOverride } =
    props;
  const { type: kind, step, min, max } = getInputProps(schema, type, options);
  return (
    <TextInput
      {...{ id, name: id, type: kind, step, min, max, placeholder }}
      disabled={disabled || readonly}
      value={value ?? ""}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={
        onChangeOverride ?? (({ target }) => onChange(target.value === "" ? undefined : target.value))
      }
    />
  );
}

/** Texts may have several lines, whatever their schema says. */
function TextWidget(props: Props) {
  const { id, value, disabled, readonly, placeholder, schema, onChange } = props;
  if (schema.type === "number" || schema.type === "integer") return <BaseInputTemplate {...props} />;
  const text = typeof value === "string" ? value : "";
  return (
    <TextArea
      {...{ id, name: id, placeholder }}
      rows={Math.min(12, Math.max(1, text.split("\n").length))}
      disabled={disabled || readonly}
      value={text}
      className="min-h-8 resize-y font-sans! text-[13px]!"
      aria-describedby={ariaDescribedByIds(id)}
      onChange={({ target }) => onChange(target.value === "" ? undefined : target.value)}
    />
  );
}

function SelectWidget({ id, value, disabled, readonly, options, multiple, onChange }: Props) {
  const { enumOptions = [] } = options;
  const chosen = enumOptionsIndexForValue(value, enumOptions, multiple);
  const shown = enumOptions.map(({ label }, at) => ({ value: String(at), text: label }));
  return (
    <Select
      id={id}
      name={id}
      multiple={multiple ?? false}
      disabled={disabled || readonly}
      className={multiple ? "h-auto! py-1" : ""}
      value={chosen ?? (multiple ? [] : "")}
      aria-describedby={ariaDescribedByIds(id)}
      options={multiple ? shown : [{ value: "", text: "" }, ...shown]}
      onChange={({ target }) => {
        const picked = multiple ? [...target.selectedOptions].map((option) => option.value) : target.value;
        onChange(picked === "" ? undefined : enumOptionsValueForIndex(picked, enumOptions));
      }}
    />
  );
}

function CheckboxWidget({ id, value, disabled, readonly, label, required, onChange }: Props) {
  return (
    <label htmlFor={id} className="flex w-fit items-center gap-2 text-xs font-medium">
      <input
        id={id}
        type="checkbox"
        className="size-4"
        checked={value === true}
        disabled={disabled || readonly}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="font-mono">{label}</span>
      {required && <span className="text-bad">*</span>}
    </label>
  );
}

export const widgets: RegistryWidgetsType<UnknownObject, RJSFSchema> = {
  TextWidget,
  TextareaWidget: TextWidget,
  SelectWidget,
  CheckboxWidget,
  PasswordWidget: TextWidget,
};
