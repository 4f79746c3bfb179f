import { getDefaultRegistry } from "@rjsf/core";
import type { FieldProps, RJSFSchema } from "@rjsf/utils";
import { listOrEmpty } from "../../../../src/model/json.ts";

const { ArrayField } = getDefaultRegistry().fields;

/** A list. One with a fixed number of places shows all of them, also while none is given. */
export function TupleField(props: FieldProps<unknown, RJSFSchema>) {
  const { schema, formData, fieldPathId, onChange } = props;
  if (ArrayField === undefined) return null;
  if (!Array.isArray(schema.items)) return <ArrayField {...props} />;
  const givenItems = listOrEmpty(formData);
  const slots = Array.from(
    { length: Math.max(givenItems.length, schema.items.length) },
    (_, index) => givenItems[index],
  );
  const change: typeof onChange = (value, path, errors, id) => {
    const changedIndex = path.length === fieldPathId.path.length + 1 ? path.at(-1) : undefined;
    const isEmpty =
      isMissing(value) && slots.every((slot, index) => index === changedIndex || isMissing(slot));
    // With nothing in any place it is not given at all.
    if (changedIndex !== undefined && isEmpty) onChange(undefined, fieldPathId.path, errors, id);
    else onChange(value, path, errors, id);
  };
  return <ArrayField {...props} formData={slots} onChange={change} />;
}

const isMissing = (value: unknown) => value === undefined || value === null;
