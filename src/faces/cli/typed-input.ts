import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { PlaneError } from "../../model/errors.ts";
import type { CommandForm, CommandOption } from "../../operations/command-form.ts";
import type { Operation } from "../../operations/operation.ts";

const noForm: CommandForm = { command: "", about: "", examples: [] };

/** Another operation may say how the command is typed. */
export function formOf({ cli }: Operation): CommandForm {
  return "about" in cli ? cli : noForm;
}

/** By input: the argument or the option that fills it. */
function sourcesOf({ arguments: args = {}, options = {} }: CommandForm): Map<string, string> {
  const byArgument = Object.keys(args).map((usage) => [usage.replaceAll(/\W/g, ""), usage]);
  const byOption = Object.entries(options).map(([flags, option]) => {
    const { input = optionKey(flags) } = option as Partial<CommandOption>;
    return [camelCase(input), flags];
  });
  return new Map([...byOption, ...byArgument] as [string, string][]);
}

/** Arguments by position under the names of the usage, options under those of their inputs. */
export function typedInput(
  operation: Operation,
  args: readonly unknown[],
): Record<string, unknown> {
  const options = args.at(-1) as Record<string, unknown>;
  const form = formOf(operation);
  const usages = Object.keys(form.arguments ?? {});
  const sources = sourcesOf(form);
  const typed = Object.keys(operation.input.shape).map((name) => {
    const source = sources.get(camelCase(name)) ?? `--${name}`;
    const position = usages.indexOf(source);
    if (position >= 0) return [name, args[position]];
    return [name, options[optionKey(source)]];
  });
  return withoutUndefined(Object.fromEntries(typed) as Record<string, unknown>);
}

/** `--min-ms <number>` is `minMs`, and so is it in the options that were read. */
function optionKey(flags: string): string {
  const [, name = ""] = /--(?:no-)?([\w-]+)/.exec(flags) ?? [];
  return camelCase(name);
}

function camelCase(name: string): string {
  return name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function checkedInput(operation: Operation, typed: Record<string, unknown>): object {
  const parsed = operation.input.safeParse(withoutUndefined(typed));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? operation.name);
  const source = sourcesOf(formOf(operation)).get(camelCase(name))?.split(" ")[0] ?? `'${name}'`;
  const value = typed[name];
  const valueText = typeof value === "string" ? ` cannot be '${value}'` : "";
  throw new PlaneError("USAGE", `${source}${valueText}: ${issue?.message}.`);
}
