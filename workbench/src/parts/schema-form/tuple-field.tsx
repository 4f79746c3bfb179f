import { getDefaultRegistry } from "@rjsf/core";
import type { FieldProps, RJSFSchema } from "@rjsf/utils";

const { ArrayField } = getDefaultRegistry().fields;

/** A list. One with a fixed number of places shows all of them, also while none is given. */
export function TupleField(props: FieldProps<unknown, RJSFSchema>) {
  const { schema, formData, fieldPathId, onChange } = props;
  if (ArrayField === undefined) return null;
  if (!Array.isArray(schema.items)) return <ArrayField {...props} />;
  const given: readonly unknown[] = Array.isArray(formData) ? formData : [];
  const places = Array.from(
    { length: Math.max(given.length, schema.items.length) },
    (_, at) => given[at],
  );
  const change: typeof onChange = (value, path, errors, id) => {
    const at = path.length === fieldPathId.path.length + 1 ? path.at(-1) : undefined;
    const isEmpty =
      isMissing(value) && places.every((one, place) => place === at || isMissing(one));
    // With nothing in any place it is not given at all.
    if (at !== undefined && isEmpty) onChange(undefined, fieldPathId.path, errors, id);
    else onChange(value, path, errors, id);
  };
  return <ArrayField {...props} formData={places} onChange={change} />;
}

const isMissing = (value: unknown) => value === undefined || value === null;
