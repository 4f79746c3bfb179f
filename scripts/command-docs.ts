import type { Command, Option } from "commander";
import type { Cli } from "../src/faces/cli/cli.ts";
import { createProgram } from "../src/faces/cli/program.ts";

const start = "<!-- Generated from the commands by npm run docs. -->\n";

/** docs/commands.md: what people wrote, and every command with its options, from what `--help` shows. */
export function renderCommandDocs(page: string): string {
  const program = createProgram({} as Cli, nothing, nothing);
  const verbs = program.createHelp().visibleCommands(program);
  const sections = Map.groupBy(verbs, (verb) => verb.helpGroup().replace(/:$/, ""));
  const [written = ""] = page.split(start);
  const shared = sharedOptions(verbs.flatMap(leaves));
  return `${written}${start}
## Options of every command

They may stand before or after the command.

${renderOptions(program.options)}

## Options of several commands

A command that has them names them behind *Also*.

${renderOptions([...shared.values()])}

${[...sections]
  .map(
    ([heading, verbs]) =>
      `## ${heading}\n\n${verbs
        .flatMap(leaves)
        .map((verb) => renderCommand(verb, shared))
        .join("\n\n")}`,
  )
  .join("\n\n")}
`;
}

const nothing = () => undefined;

/** What does something itself: `search` does, and has verbs below it. */
function leaves(command: Command): Command[] {
  const own =
    command.commands.length === 0 || command.registeredArguments.length > 0 ? [command] : [];
  return [...own, ...command.commands.flatMap(leaves)];
}

const textOf = ({ flags, description, argChoices, defaultValue }: Option) =>
  JSON.stringify([flags, description, argChoices, defaultValue]);

/** Options that several commands have in the same words are explained once; of one name, the most common. */
function sharedOptions(commands: readonly Command[]): Map<string, Option> {
  const byText = Map.groupBy(
    commands.flatMap(({ options }) => options),
    textOf,
  );
  const common = [...byText]
    .filter(([, same]) => same.length > 1)
    .sort(([, one], [, other]) => other.length - one.length);
  const byName = new Map<string, [string, Option]>();
  for (const [text, [option]] of common)
    if (option?.long && !byName.has(option.long)) byName.set(option.long, [text, option]);
  return new Map(byName.values());
}

function renderCommand(command: Command, shared: Map<string, Option>): string {
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? "…" : ""}`.toUpperCase();
    return ` ${argument.required ? word : `[${word}]`}`;
  });
  const own = command.options.filter((option) => !shared.has(textOf(option)));
  const others = command.options
    .filter((option) => shared.has(textOf(option)))
    .map(({ long }) => `\`${long}\``);
  const options = own.length === 0 ? "" : `\n\n${renderOptions(own)}`;
  const also = others.length === 0 ? "" : ` Also: ${others.join(", ")}.`;
  return `**\`${pathOf(command)}${words.join("")}\`**: ${command.description()}.${also}${options}`;
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null
    ? command.name()
    : `${pathOf(parent)} ${command.name()}`;
}

function renderOptions(options: readonly Option[]): string {
  return options
    .map(({ flags, description, argChoices, defaultValue }) => {
      const isSaid = defaultValue !== undefined && defaultValue !== false;
      const choices = argChoices?.every((choice) => description.includes(choice))
        ? ""
        : (argChoices?.join(", ") ?? "");
      const parts = [description, choices, isSaid ? `default \`${defaultValue}\`` : ""];
      return `- \`${flags}\`: ${parts.filter((part) => part !== "").join("; ")}`;
    })
    .join("\n");
}
