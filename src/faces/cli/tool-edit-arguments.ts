import { parseArgumentText, type ToolArgument } from "../../model/catalogue/tool.ts";
import { PlaneError } from "../../model/errors.ts";

/** Arguments written as `name:type:description`, where the description may hold colons. */
export function readArguments(written: readonly string[]): ToolArgument[] {
  const read = written.map((text) => {
    const argument = parseArgumentText(text);
    if ("problem" in argument) throw usage(`--argument '${text}' ${argument.problem}`);
    return argument;
  });
  const twice = read.find(({ name }, at) => read.findIndex((other) => other.name === name) !== at);
  if (twice) throw usage(`--argument '${twice.name}' is given twice.`);
  return read;
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", message);
}
