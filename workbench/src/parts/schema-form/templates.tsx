import type {
  CyclicSchemaExpandProps,
  DescriptionFieldProps,
  FieldErrorProps,
  FieldTemplateProps,
  RJSFSchema,
  WrapIfAdditionalTemplateProps,
} from "@rjsf/utils";
import { ADDITIONAL_PROPERTY_FLAG, descriptionId } from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { Button, IconButton } from "../button.tsx";
import { classes } from "../class-names.ts";
import { TextInput } from "../field.tsx";
import { Plus, Trash2 } from "../icons.ts";
import { FieldName, renderPath, typeIn } from "./field-name.tsx";
import {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  isItem,
  ObjectFieldTemplate,
  Star,
} from "./group-templates.tsx";
import { aboutClass, cutText, isBare, SchemaText } from "./looks.tsx";

type Data = UnknownObject;
type Schema = RJSFSchema;

/** The form's layout. All schema texts render as plain text. */
function FieldTemplate(props: FieldTemplateProps<Data, Schema>) {
  const {
    id,
    label,
    required,
    displayLabel,
    rawDescription,
    children,
    errors,
    hidden,
    schema,
    uiSchema,
  } = props;
  if (hidden) return <div className="hidden">{children}</div>;
  const isNull = schema.nullable === true && props.formData === null;
  const isChoice = schema.oneOf !== undefined || schema.anyOf !== undefined;
  const isCheckbox = typeIn(schema) === "boolean" && schema.enum === undefined;
  // Other fields name themselves.
  const isNamed = (displayLabel && !isCheckbox && (!isChoice || isList(schema))) || isNull;
  return (
    <WrapIfAdditionalTemplate {...props}>
      <div className="flex min-w-0 flex-col gap-1">
        <div className="flex items-start justify-between gap-2 empty:hidden">
          {isNamed && (
            <label
              htmlFor={id}
              className={classes("min-w-0 text-xs font-medium", isBare(uiSchema) && "sr-only")}
            >
              <FieldName path={props.fieldPathId.path} title={label} type={typeIn(schema)} />
              <Star when={required && !isItem(props)} />{" "}
              <span className="ml-0.5 font-normal text-muted">{typeIn(schema)}</span>
            </label>
          )}
          {schema.nullable === true && <NullBox {...props} />}
        </div>
        {isNull ? (
          <output id={id} className="font-mono text-xs text-muted">
            null
          </output>
        ) : (
          children
        )}
        {displayLabel && rawDescription && !(isChoice && !isList(schema)) && (
          <SchemaText id={descriptionId(id)} className={aboutClass} text={rawDescription} />
        )}
        {errors}
      </div>
    </WrapIfAdditionalTemplate>
  );
}

/** A choice between constants is one list. */
const isList = ({ oneOf = [], anyOf = [] }: Schema) =>
  [...oneOf, ...anyOf].every(
    (choice) => typeof choice === "object" && "const" in choice && choice.format === undefined,
  );

const emptyValues: Record<string, unknown> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
};

/** Null is a value; a field that is left empty is not given at all. */
function NullBox(props: FieldTemplateProps<Data, Schema>) {
  const { formData, fieldPathId, label, disabled, readonly, schema, onChange } = props;
  const { path, $id } = fieldPathId;
  // An item of a list cannot be left out.
  const nonNullValue = isItem(props) ? (emptyValues[typeIn(schema)] ?? {}) : undefined;
  return (
    <label className="ml-auto flex shrink-0 items-center gap-1 text-xs text-muted">
      <input
        type="checkbox"
        aria-label={`${cutText(String(path.at(-1) ?? label), 80)} is null`}
        checked={(formData as unknown) === null}
        disabled={disabled || readonly || false}
        onChange={({ target }) =>
          onChange((target.checked ? null : nonNullValue) as Data | undefined, path, undefined, $id)
        }
      />
      null
    </label>
  );
}

/** Additional properties can be renamed and removed. */
function WrapIfAdditionalTemplate(props: WrapIfAdditionalTemplateProps<Data, Schema>) {
  const { children, id, label, schema, onKeyRenameBlur, onRemoveProperty } = props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return children;
  return (
    <div className="flex items-end gap-2">
      <TextInput
        key={label}
        aria-label={`Name of ${label}`}
        className="w-40! font-mono"
        id={`${id}-key`}
        defaultValue={label}
        onBlur={onKeyRenameBlur}
      />
      <div className="min-w-0 flex-1">{children}</div>
      <IconButton label={`Remove ${label}`} icon={Trash2} onClick={onRemoveProperty} />
    </div>
  );
}

/** Recursive schemas expand on request. */
function CyclicSchemaExpandTemplate({
  fieldPathId,
  name,
  onExpand,
}: CyclicSchemaExpandProps<Data, Schema>) {
  return (
    <Button icon={Plus} className="w-fit" onClick={() => onExpand(fieldPathId.$id)}>
      Expand {name}
    </Button>
  );
}

function DescriptionFieldTemplate({ id, description }: DescriptionFieldProps<Data, Schema>) {
  return <SchemaText id={id} className={aboutClass} text={String(description)} />;
}

/** Names its field: a person who was taken there by a key or a reader may not see the label. */
export function FieldErrorTemplate({
  errors = [],
  fieldPathId,
}: Pick<FieldErrorProps<Data, Schema>, "errors" | "fieldPathId">) {
  if (errors.length === 0) return null;
  return (
    <p id={`${fieldPathId.$id}__error`} className="break-words text-xs text-bad">
      <bdi className="font-mono">{renderPath(fieldPathId.path) || "It"}</bdi>{" "}
      {[...new Set(errors.map(String))].join(", ")}
    </p>
  );
}

export const templates = {
  FieldTemplate,
  WrapIfAdditionalTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  CyclicSchemaExpandTemplate,
  DescriptionFieldTemplate,
  FieldErrorTemplate,
};
