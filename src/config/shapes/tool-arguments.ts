import { argumentTypes, parseArgumentText, type ToolArgument } from "../../model/catalogue/tool.ts";
import { isObject, type Path, type UnknownObject } from "../../model/json.ts";
import { toBoolean } from "./coerce.ts";
import { describeValue, isName, type Reading } from "./reading.ts";

const keys = ["name", "type", "description", "required", "default", "enum", "hidden", "fixed"];

/** A list of arguments in the normal form; an entry that cannot be used is left out. Undefined where nothing is said. */
export function argumentsOf(reading: Reading, list: unknown, source: Path): ToolArgument[] | undefined {
  if ((list ?? null) !== null && !Array.isArray(list)) reading.warn(source, "must be a list of arguments");
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const read = list.flatMap((entry, at) => readArgument(reading, entry, [...source, at]) ?? []);
  return read.filter(({ name }, at) => {
    const isFirst = read.findIndex((other) => other.name === name) === at;
    if (!isFirst) reading.warn(source, `argument '${name}' is said twice; the first one counts`);
    return isFirst;
  });
}

function readArgument(reading: Reading, entry: unknown, source: Path): ToolArgument | undefined {
  if (typeof entry === "string") return readText(reading, entry, source);
  if (!isObject(entry) || !isName(entry.name)) {
    return void reading.warn(source, "an argument without a 'name' is left out");
  }
  for (const key of Object.keys(entry).filter((key) => !keys.includes(key))) {
    reading.warnUnknownKey([...source, key], keys);
  }
  const { name, type, description, default: fallback, enum: choices, hidden, fixed } = entry;
  const known = argumentTypes.find((one) => one === type);
  if (known === undefined && type !== undefined) {
    const hint = `Use ${argumentTypes.join(", ")}.`;
    reading.warn([...source, "type"], `type ${describeValue(type)} is unknown`, hint);
  }
  const required = isRequired(name, entry);
  return {
    name: name.trim().replace(/(?<=.)\?$/, ""),
    ...(known !== undefined && { type: known }),
    ...(isName(description) && { description }),
    ...(required !== undefined && { required }),
    ...(fallback !== undefined && { default: fallback as ToolArgument["default"] }),
    ...(Array.isArray(choices) && { enum: choices }),
    ...(toBoolean(hidden) === true && { hidden: true }),
    ...(fixed !== undefined && { fixed: fixed as ToolArgument["fixed"] }),
  };
}

function readText(reading: Reading, text: string, source: Path): ToolArgument | undefined {
  const read = parseArgumentText(text);
  if ("problem" in read) return void reading.warn(source, `${describeValue(text)} ${read.problem}`);
  const { required, ...argument } = read;
  const said = required === false ? false : isRequired(read.name, argument);
  return { ...argument, ...(said !== undefined && { required: said }) };
}

/** Many authors say it in the description only. Undefined where nobody says anything. */
function isRequired(name: string, { description, required, default: fallback }: UnknownObject): boolean | undefined {
  const said = toBoolean(required);
  if (typeof said === "boolean") return said;
  if (fallback !== undefined || name.trim().endsWith("?")) return false;
  return typeof description === "string" && /\(optional/i.test(description) ? false : undefined;
}
