import { isObject, type UnknownObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import { toBoolean } from "./coerce.ts";
import { describeValue, isName, type Reading } from "./reading.ts";

const types: readonly unknown[] = ["string", "number", "integer", "boolean", "array", "object"];
const keys: readonly string[] = ["name", "type", "description", "required", "default", "enum"];

type Argument = { name: string; schema: UnknownObject; isRequired: boolean };

/** The JSON Schema of a list of arguments. Without a list every argument passes. */
export function parametersOf(reading: Reading, list: unknown, source: Path): UnknownObject {
  if ((list ?? null) !== null && !Array.isArray(list)) reading.warn(source, "must be a list of arguments");
  if (!Array.isArray(list) || list.length === 0) return { type: "object" };
  const read = list.flatMap((entry, at) => readArgument(reading, entry, [...source, at]) ?? []);
  return {
    type: "object",
    properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])),
    required: read.filter(({ isRequired }) => isRequired).map(({ name }) => name),
  };
}

function readArgument(reading: Reading, entry: unknown, source: Path): Argument | undefined {
  if (!isObject(entry) || !isName(entry.name)) {
    return void reading.warn(source, "an argument without a 'name' is left out");
  }
  for (const key of Object.keys(entry).filter((key) => !keys.includes(key))) {
    reading.warnUnknownKey([...source, key], keys);
  }
  const { name, type, description, default: fallback, enum: choices } = entry;
  const isKnown = types.includes(type);
  if (!isKnown && type !== undefined) {
    reading.warn([...source, "type"], `type ${describeValue(type)} is unknown`, `Use ${types.join(", ")}.`);
  }
  return {
    name: name.trim().replace(/(?<=.)\?$/, ""),
    schema: {
      ...(isKnown && { type }),
      ...(isName(description) && { description }),
      ...(fallback !== undefined && { default: fallback }),
      ...(Array.isArray(choices) && { enum: choices }),
    },
    isRequired: isRequired(name, entry),
  };
}

/** Many authors say it in the description only. */
function isRequired(name: string, { description, required, default: fallback }: UnknownObject): boolean {
  const said = toBoolean(required);
  if (typeof said === "boolean") return said;
  if (fallback !== undefined || name.trim().endsWith("?")) return false;
  return typeof description !== "string" || !/\(optional/i.test(description);
}
