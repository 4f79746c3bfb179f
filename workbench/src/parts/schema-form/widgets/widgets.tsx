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
import { stringOrEmpty, textOrJson, type UnknownObject } from "../../../../../src/model/json.ts";
import { Select, TextArea, TextInput } from "../../field.tsx";
import { FieldName } from "../field-name.tsx";
import { anythingFormat, bytesFormat, fixedFormat } from "../fit-for-forms.ts";
import { cutText } from "../looks.tsx";
import { BytesWidget } from "./bytes-widget.tsx";
import { DateTimeWidget } from "./date-time-widget.tsx";
import { AnythingWidget, FixedWidget } from "./value-widgets.tsx";

type Props = WidgetProps<UnknownObject, RJSFSchema>;

/** What a form shows in an empty field: the default, which the plane fills in. */
function defaultText({ default: defaultValue }: RJSFSchema): string | undefined {
  if (defaultValue === undefined || defaultValue === null) return undefined;
  return textOrJson(defaultValue);
}

/** A single-line input. An empty one is omitted from the call. */
export function BaseInputTemplate(props: BaseInputTemplateProps<UnknownObject, RJSFSchema>) {
  const {
    id,
    value,
    disabled,
    readonly,
    schema,
    type,
    options,
    placeholder,
    onChange,
    onChangeOverride,
  } = props;
  const { type: inputType, step, min, max } = getInputProps(schema, type, options);
  // The browser's own inputs for these change what is typed.
  const inputProps =
    inputType === "email" || inputType === "url"
      ? ({ type: "text", inputMode: inputType } as const)
      : { type: inputType };
  return (
    <TextInput
      {...{ id, name: id, ...inputProps, step, min, max }}
      aria-invalid={isWrong(props)}
      placeholder={placeholder || defaultText(schema)}
      disabled={disabled || readonly}
      value={value ?? ""}
      aria-describedby={ariaDescribedByIds(id)}
      onChange={onChangeOverride ?? (({ target }) => onChange(target.value || undefined))}
    />
  );
}

const isWrong = ({ rawErrors }: { rawErrors?: string[] | undefined }) =>
  (rawErrors ?? []).length > 0 || undefined;

const isNumeric = ({ type }: RJSFSchema) =>
  [type].flat().some((typeName) => typeName === "number" || typeName === "integer");

/** Strings may always have several lines. */
function TextWidget(props: Props) {
  const { id, value, disabled, readonly, placeholder, schema, onChange } = props;
  if (isNumeric(schema)) return <BaseInputTemplate {...props} />;
  const text = stringOrEmpty(value);
  return (
    <TextArea
      {...{ id, name: id }}
      placeholder={placeholder || defaultText(schema)}
      // What is approved with changes is seen whole.
      rows={Math.min(400, Math.max(1, text.split("\n").length))}
      disabled={disabled || readonly}
      value={text}
      aria-invalid={isWrong(props)}
      className="min-h-8 resize-y [field-sizing:content] font-sans! text-sm!"
      aria-describedby={ariaDescribedByIds(id)}
      onChange={({ target }) => onChange(target.value || undefined)}
    />
  );
}

/** A secret: hidden while it is typed. */
function PasswordWidget(props: Props) {
  return <BaseInputTemplate {...props} type="password" />;
}

function SelectWidget(props: Props) {
  const { id, value, disabled, readonly, options, multiple, schema, onChange } = props;
  const { enumOptions = [] } = options;
  const chosen = enumOptionsIndexForValue(value, enumOptions, multiple);
  const choices = enumOptions.map((choice, index) => ({
    value: String(index),
    text: nameOf(choice),
  }));
  const shownDefault = defaultText(schema);
  const unset = { value: "", text: shownDefault === undefined ? "" : `default: ${shownDefault}` };
  return (
    <Select
      id={id}
      name={id}
      multiple={multiple ?? false}
      disabled={disabled || readonly}
      className={multiple ? "h-auto! py-1" : ""}
      value={chosen ?? (multiple ? [] : "")}
      aria-invalid={isWrong(props)}
      aria-describedby={ariaDescribedByIds(id)}
      options={multiple ? choices : [unset, ...choices]}
      onChange={({ target }) => {
        const picked = multiple
          ? [...target.selectedOptions].map((option) => option.value)
          : target.value;
        onChange(picked === "" ? undefined : enumOptionsValueForIndex(picked, enumOptions));
      }}
    />
  );
}

const nameOf = ({ value, label }: { value: unknown; label: string }) =>
  cutText(typeof value === "object" ? JSON.stringify(value) : label, 200);

function CheckboxWidget(props: Props) {
  const { id, name, value, disabled, readonly, label, required, schema, onChange } = props;
  if (required && schema.default === undefined) return <YesOrNo {...props} />;
  return (
    <label htmlFor={id} className="flex w-fit items-center gap-2 text-xs font-medium">
      <input
        id={id}
        type="checkbox"
        className="size-4"
        checked={(value ?? schema.default) === true}
        disabled={disabled || readonly}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="min-w-0">
        <FieldName path={[name]} title={label} />
      </span>
      {required && <span className="text-bad">*</span>}
    </label>
  );
}

/** A required boolean needs an explicit choice; a checkbox cannot be unset. */
function YesOrNo({ id, name, value, disabled, readonly, label, rawErrors, onChange }: Props) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-xs font-medium">
        <FieldName path={[name]} title={label} />
        <span className="text-bad"> *</span>{" "}
        <span className="ml-0.5 font-normal text-muted">boolean</span>
      </label>
      <Select
        id={id}
        name={id}
        disabled={disabled || readonly}
        value={value === undefined ? "" : String(value)}
        aria-invalid={isWrong({ rawErrors })}
        aria-describedby={ariaDescribedByIds(id)}
        options={["", "true", "false"]}
        onChange={({ target }) =>
          onChange(target.value === "" ? undefined : target.value === "true")
        }
      />
    </div>
  );
}

/** The browser's time input has no time zone, which the format requires. */
function TimeWidget(props: Props) {
  return (
    <BaseInputTemplate {...props} type="text" placeholder={props.placeholder || "10:20:00Z"} />
  );
}

export const widgets: RegistryWidgetsType<UnknownObject, RJSFSchema> = {
  TextWidget,
  TextareaWidget: TextWidget,
  SelectWidget,
  CheckboxWidget,
  PasswordWidget,
  TimeWidget,
  DateTimeWidget,
  [anythingFormat]: AnythingWidget,
  [bytesFormat]: BytesWidget,
  [fixedFormat]: FixedWidget,
};
