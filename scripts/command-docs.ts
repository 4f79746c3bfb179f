import type { Command, Option } from "commander";
import type { Cli } from "../src/faces/cli/cli.ts";
import { createProgram } from "../src/faces/cli/program.ts";

/** docs/commands.md: every command with its options, from what `--help` shows. */
export function renderCommandDocs(): string {
  const program = createProgram({} as Cli, nothing, nothing);
  const verbs = program.createHelp().visibleCommands(program);
  const sections = Map.groupBy(verbs, (verb) => verb.helpGroup().replace(/:$/, ""));
  return `# Commands and their options

Generated from the commands by \`npm run docs\`; \`--help\` behind any of them shows the same with examples. What they are
good for is described in [command-line.md](command-line.md).

## Options of every command

They may stand before or after the command.

${renderOptions(program.options)}

${[...sections].map(([heading, verbs]) => `## ${heading}\n\n${verbs.flatMap(leaves).map(renderCommand).join("\n\n")}`).join("\n\n")}
`;
}

const nothing = () => undefined;

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

function renderCommand(command: Command): string {
  const words = command.registeredArguments.map((argument) => {
    const word = `${argument.name()}${argument.variadic ? "…" : ""}`.toUpperCase();
    return ` ${argument.required ? word : `[${word}]`}`;
  });
  const options = command.options.length === 0 ? "" : `\n\n${renderOptions(command.options)}`;
  return `### \`${pathOf(command)}${words.join("")}\`\n\n${asSentence(command.description())}${options}`;
}

function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function renderOptions(options: readonly Option[]): string {
  const rows = options.map(({ flags, description, argChoices, defaultValue }) => {
    const isSaid = defaultValue !== undefined && defaultValue !== false;
    const parts = [description, argChoices?.join(", ") ?? "", isSaid ? `\`${defaultValue}\` when left out` : ""];
    return `| \`${flags}\` | ${parts
      .filter((part) => part !== "")
      .join("; ")
      .replaceAll("|", "\\|")} |`;
  });
  return `| option | means |\n| --- | --- |\n${rows.join("\n")}`;
}

function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
