import type { CommandForm } from "../../operations/command-form.ts";
import { operations } from "../../operations/operations.ts";

/** Commands that record a change on one of their ways. */
const changing = new Set(
  operations.flatMap(({ cli, audit }) => (audit && "command" in cli ? [cli.command] : [])),
);

/** The commands of the operations. The build works them out (scripts/built-tables.ts), so that no command loads a schema. */
export const operationCommands: readonly CommandForm[] = [
  ...new Map(
    operations.flatMap(({ cli }) =>
      "about" in cli ? [[cli.command, { ...cli, looks: !changing.has(cli.command) }] as const] : [],
    ),
  ).values(),
];
