import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  CyclicSchemaExpandProps,
  DescriptionFieldProps,
  FieldErrorProps,
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  RJSFSchema,
  WrapIfAdditionalTemplateProps,
} from "@rjsf/utils";
import { ADDITIONAL_PROPERTY_FLAG, canExpand, descriptionId } from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { Button, IconButton } from "../button.tsx";
import { classes } from "../class-names.ts";
import { TextInput } from "../field.tsx";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "../icons.ts";
import { FieldName, typeIn } from "./field-name.tsx";

/** Clamped; the tool's page shows the whole description. */
const about = "line-clamp-6 whitespace-pre-wrap break-words text-xs text-muted";

type Data = UnknownObject;
type Schema = RJSFSchema;

/** The form's layout. All schema texts render as plain text. */
function FieldTemplate(props: FieldTemplateProps<Data, Schema>) {
  const { id, label, required, displayLabel, rawDescription, children, errors, hidden, schema } = props;
  if (hidden) return <div className="hidden">{children}</div>;
  const isCheckbox = typeIn(schema) === "boolean" && schema.enum === undefined;
  return (
    <WrapIfAdditionalTemplate {...props}>
      <div className="flex min-w-0 flex-col gap-1">
        {displayLabel && !isCheckbox && (
          <label htmlFor={id} className="min-w-0 text-xs font-medium">
            <FieldName path={props.fieldPathId.path} title={label} type={typeIn(schema)} />
            {required && <span className="text-bad"> *</span>}{" "}
            <span className="ml-0.5 font-normal text-muted">{typeIn(schema)}</span>
          </label>
        )}
        {children}
        {displayLabel && rawDescription && (
          <p id={descriptionId(id)} dir="auto" className={about}>
            {rawDescription}
          </p>
        )}
        {errors}
      </div>
    </WrapIfAdditionalTemplate>
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

function ObjectFieldTemplate(props: ObjectFieldTemplateProps<Data, Schema>) {
  const { title, properties, schema, uiSchema, formData, onAddProperty, fieldPathId } = props;
  const isRoot = fieldPathId.path.length === 0;
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null;
  return (
    <fieldset
      id={fieldPathId.$id}
      className={classes("flex min-w-0 flex-col gap-4", !isRoot && "rounded-md border border-line p-3")}
    >
      {!isRoot && title !== "" && (
        <legend className="px-1 text-xs font-medium">
          <FieldName path={fieldPathId.path} title={title} />
        </legend>
      )}
      {!isRoot && schema.description && <p className={about}>{schema.description}</p>}
      {properties.map(({ content, name }) => (
        <div key={name}>{content}</div>
      ))}
      {canExpand(schema, uiSchema, formData) && (
        <Button icon={Plus} className="w-fit" onClick={onAddProperty}>
          {isRoot ? "Add an argument" : "Add"}
        </Button>
      )}
    </fieldset>
  );
}

function ArrayFieldTemplate(props: ArrayFieldTemplateProps<Data[], Schema>) {
  const { title, items, canAdd, onAddClick, schema, fieldPathId } = props;
  return (
    <fieldset id={fieldPathId.$id} className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-3">
      <legend className="px-1 text-xs font-medium">
        <FieldName path={fieldPathId.path} title={title} />
      </legend>
      {schema.description && <p className={about}>{schema.description}</p>}
      {items}
      {canAdd && (
        <Button icon={Plus} className="w-fit" onClick={onAddClick}>
          Add
        </Button>
      )}
    </fieldset>
  );
}

function ArrayFieldItemTemplate({ children, buttonsProps, hasToolbar }: ArrayFieldItemTemplateProps<Data, Schema>) {
  const { index, hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps;
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {hasToolbar && (
        <div className="flex shrink-0">
          {hasMoveUp && <IconButton label={`Move ${index + 1} up`} icon={ArrowUp} onClick={onMoveUpItem} />}
          {hasMoveDown && <IconButton label={`Move ${index + 1} down`} icon={ArrowDown} onClick={onMoveDownItem} />}
          {hasRemove && <IconButton label={`Remove ${index + 1}`} icon={Trash2} onClick={onRemoveItem} />}
        </div>
      )}
    </div>
  );
}

function MultiSchemaFieldTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps<Data, Schema>) {
  return (
    <div className="flex flex-col gap-2">
      {selector}
      {optionSchemaField}
    </div>
  );
}

/** Recursive schemas expand on request. */
function CyclicSchemaExpandTemplate({ fieldPathId, name, onExpand }: CyclicSchemaExpandProps<Data, Schema>) {
  return (
    <Button icon={Plus} className="w-fit" onClick={() => onExpand(fieldPathId.$id)}>
      Expand {name}
    </Button>
  );
}

function DescriptionFieldTemplate({ id, description }: DescriptionFieldProps<Data, Schema>) {
  return (
    <p id={id} className={about}>
      {description}
    </p>
  );
}

function FieldErrorTemplate({ errors = [], fieldPathId }: FieldErrorProps<Data, Schema>) {
  if (errors.length === 0) return null;
  return (
    <p id={`${fieldPathId.$id}__error`} className="text-xs text-bad">
      {errors.map(String).join(", ")}
    </p>
  );
}

export const templates = {
  FieldTemplate,
  WrapIfAdditionalTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  CyclicSchemaExpandTemplate,
  DescriptionFieldTemplate,
  FieldErrorTemplate,
};
