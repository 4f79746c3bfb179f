import type { CommandForm } from "../../operations/operation.ts";
import { operations } from "../../operations/operations.ts";

/** The commands of the operations. The build works them out (scripts/built-tables.ts), so that no command loads a schema. */
export const operationCommands: readonly CommandForm[] = [
  ...new Map(operations.flatMap(({ cli }) => ("about" in cli ? [[cli.command, cli] as const] : []))).values(),
];
