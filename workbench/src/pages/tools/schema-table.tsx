import { useMemo, useState } from "react";
import type { UnknownObject } from "../../../../src/model/json.ts";
import { Badge } from "../../parts/badge.tsx";
import { classes } from "../../parts/class-names.ts";
import { GrowingList } from "../../parts/growing-list.tsx";
import { ChevronRight } from "../../parts/icons.ts";
import { counted } from "../../parts/time.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";
import { DescriptionText } from "./description-text.tsx";
import { fieldsOf, type SchemaField } from "./schema-fields.ts";

/** So many inside another are open at first, on the first levels. */
const openAtFirst = 8;
const levelsOpen = 2;

/** One row per argument; what is inside one is opened below it. */
export function SchemaTable({
  schema,
  empty = "No arguments.",
}: {
  schema: UnknownObject;
  empty?: string;
}) {
  const fields = useMemo(() => fieldsOf(schema, schema), [schema]);
  if (fields.length === 0) return <p className="text-sm text-muted">{empty}</p>;
  return <Fields fields={fields} root={schema} level={0} />;
}

type FieldsProps = { fields: readonly SchemaField[]; root: UnknownObject; level: number };

function Fields({ fields, root, level }: FieldsProps) {
  return (
    <GrowingList
      className="divide-y divide-line text-sm"
      atOnce={100}
      items={fields.map((field, index) => ({ field, key: `${index} ${field.name}` }))}
      keyOf={({ key }) => key}
    >
      {({ field }) => <FieldRow field={field} root={root} level={level} />}
    </GrowingList>
  );
}

function FieldRow({
  field,
  root,
  level,
}: {
  field: SchemaField;
  root: UnknownObject;
  level: number;
}) {
  const { name, isWord, type, needed, about, remarks, schema } = field;
  const innerFields = useMemo(() => fieldsOf(schema, root), [schema, root]);
  const [isOpen, setOpen] = useState(level < levelsOpen && innerFields.length <= openAtFirst);
  return (
    <div className="py-2.5">
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(90px,1fr)_3fr]">
        <div className="min-w-0">
          <div
            className={classes(
              "break-words text-xs font-medium",
              isWord ? "text-muted" : "break-all font-mono",
            )}
          >
            <VisibleText text={name} />
          </div>
          <div className="break-words text-xs text-muted">
            <VisibleText text={type} />
          </div>
        </div>
        <div className="flex min-w-0 flex-col items-start gap-1">
          {about !== "" ? (
            <DescriptionText text={about} />
          ) : (
            !isWord && innerFields.length === 0 && <p className="text-muted">No description</p>
          )}
          {(needed || remarks.length > 0) && (
            <div className="flex max-w-full flex-wrap gap-1">
              {needed && <Badge tone="accent">required</Badge>}
              {remarks.map((text) => (
                <span
                  key={text}
                  className="min-w-0 break-words rounded bg-sunken px-1.5 py-px text-xs text-muted"
                >
                  <VisibleText text={text} />
                </span>
              ))}
            </div>
          )}
          {innerFields.length > 0 && (
            <button
              type="button"
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
              className="-ml-1 flex items-center gap-0.5 rounded text-xs font-medium text-accent hover:underline"
            >
              <ChevronRight aria-hidden className={classes("size-4", isOpen && "rotate-90")} />
              {counted(innerFields.length, "field")}
              <span className="sr-only"> of {name}</span>
            </button>
          )}
        </div>
      </div>
      {innerFields.length > 0 && isOpen && (
        <div className="mt-1.5 border-l-2 border-line pl-3 sm:pl-4">
          <Fields fields={innerFields} root={root} level={level + 1} />
        </div>
      )}
    </div>
  );
}
