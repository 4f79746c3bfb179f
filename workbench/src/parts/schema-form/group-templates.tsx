import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  canExpand,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
} from "@rjsf/utils";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { Button, IconButton } from "../button.tsx";
import { classes } from "../class-names.ts";
import { ArrowDown, ArrowUp, Plus, Trash2 } from "../icons.ts";
import { FieldName } from "./field-name.tsx";
import { aboutClass, cutText, isBare, SchemaText } from "./looks.tsx";

type Data = UnknownObject;
type Schema = RJSFSchema;

/** Every item that is there is given. */
export const isItem = ({ fieldPathId }: { fieldPathId: { path: readonly unknown[] } }) =>
  typeof fieldPathId.path.at(-1) === "number";

export const Star = ({ when = false }: { when?: boolean | undefined }) =>
  when && <span className="text-bad"> *</span>;

export function ObjectFieldTemplate(props: ObjectFieldTemplateProps<Data, Schema>) {
  const { title, properties, schema, uiSchema, formData, onAddProperty, fieldPathId, required } =
    props;
  const isRoot = fieldPathId.path.length === 0;
  const isFramed = !isRoot && !isBare(uiSchema);
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null;
  return (
    <fieldset
      id={fieldPathId.$id}
      className={classes(
        "flex min-w-0 flex-col gap-4",
        isFramed && "rounded-md border border-line p-3",
      )}
    >
      {isFramed && title !== "" && (
        <legend className="px-1 text-xs font-medium">
          <FieldName path={fieldPathId.path} title={title} />
          <Star when={required && !isItem(props)} />
          {isItem(props) && <Summary of={formData} />}
        </legend>
      )}
      {!isRoot && schema.description && (
        <SchemaText className={aboutClass} text={schema.description} />
      )}
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

const namingKeys = ["title", "name", "label", "key", "id"];

/** What an item of a list is known by. */
function Summary({ of = {} }: { of: Data | undefined }) {
  const name = [...namingKeys, ...Object.keys(of ?? {})].find(
    (key) => typeof of?.[key] === "string" && of[key] !== "",
  );
  if (name === undefined) return null;
  return (
    <>
      {" "}
      <bdi className="font-normal text-muted">{cutText(String(of[name]), 60)}</bdi>
    </>
  );
}

export function ArrayFieldTemplate(props: ArrayFieldTemplateProps<Data[], Schema>) {
  const { title, items, canAdd, onAddClick, schema, fieldPathId, required, uiSchema } = props;
  const isFramed = !isBare(uiSchema);
  return (
    <fieldset
      id={fieldPathId.$id}
      className={classes(
        "flex min-w-0 flex-col gap-2",
        isFramed && "rounded-md border border-line p-3",
      )}
    >
      {isFramed && (
        <legend className="px-1 text-xs font-medium">
          <FieldName path={fieldPathId.path} title={title} />
          <Star when={required} />
        </legend>
      )}
      {schema.description && <SchemaText className={aboutClass} text={schema.description} />}
      {items}
      {canAdd && (
        <Button icon={Plus} className="w-fit" onClick={onAddClick}>
          Add
        </Button>
      )}
    </fieldset>
  );
}

export function ArrayFieldItemTemplate({
  children,
  buttonsProps,
  hasToolbar,
}: ArrayFieldItemTemplateProps<Data, Schema>) {
  const { index, hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } =
    buttonsProps;
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">{children}</div>
      {hasToolbar && (
        <div className="flex shrink-0">
          {hasMoveUp && (
            <IconButton label={`Move ${index + 1} up`} icon={ArrowUp} onClick={onMoveUpItem} />
          )}
          {hasMoveDown && (
            <IconButton
              label={`Move ${index + 1} down`}
              icon={ArrowDown}
              onClick={onMoveDownItem}
            />
          )}
          {hasRemove && (
            <IconButton label={`Remove ${index + 1}`} icon={Trash2} onClick={onRemoveItem} />
          )}
        </div>
      )}
    </div>
  );
}
