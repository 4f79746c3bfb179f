import { isObject, type JsonObject, type UnknownObject } from "../model/json.ts";

/** What is wrong with the columns of an operation; null where they fit what it gives, as far as that is said. */
export function problemOfColumns(columns: unknown, output: JsonObject | undefined): string | null {
  if (columns === undefined) return null;
  if (!isObject(columns)) return "has 'columns' that are no titles by field";
  const untitled = Object.keys(columns).find((field) => typeof columns[field] !== "string");
  if (untitled !== undefined) return `has no title for the column '${untitled}'`;
  if (output === undefined) return null;
  const fields = fieldsOfRows(output);
  if (fields === null) return "has 'columns', and no list with 'properties' in its 'output'";
  const unknown = Object.keys(columns).find((field) => !fields.includes(field));
  if (unknown === undefined) return null;
  return `has the column '${unknown}', which is no field of its 'output': ${fields.join(", ")}`;
}

/** Of the list that it is, or of the only one that it has. */
function fieldsOfRows(output: JsonObject): string[] | null {
  const { items } = listIn(output) ?? {};
  if (!isObject(items) || !isObject(items.properties)) return null;
  return Object.keys(items.properties);
}

function listIn({ type, items, properties }: JsonObject): UnknownObject | null {
  if (type === "array") return { items };
  const fields: unknown[] = Object.values({ ...(properties as JsonObject) });
  const [list = null, ...others] = fields.filter(isList);
  if (others.length > 0) return null;
  return list;
}

const isList = (schema: unknown): schema is UnknownObject =>
  isObject(schema) && schema.type === "array";
