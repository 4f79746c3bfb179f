import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "./cli.ts";
import { collect, examples } from "./command-parts.ts";

/** API keys: `keys create`, `keys list`, `keys revoke`. */
export function addKeyCommands(program: Command, cli: Cli): void {
  const keys = program.command("keys").description("API keys for people and programs that call over HTTP");
  keys
    .command("create")
    .description("make a key for --user, --group and --persona; it is shown once")
    .argument("<name>", "what it is for")
    .option("--key-persona <name>", "whoever shows it calls as this persona")
    .option("--scope <scope>", "read, call, admin or *; repeatable, call when left out", collect)
    .option("--workspace <name>", "the workspace it is for")
    .option("--tool-group <name>", "a group of tools it may ask for; repeatable, * for all", collect)
    .option("--expires <time>", "12h, 30d, 1y or a date; never when left out", toMoment)
    .addHelpText(
      "after",
      examples(
        "keys create laptop",
        "keys create ci --user build@example.org --group ops --expires 30d",
        "keys create dashboard --scope read --json",
      ),
    )
    .action(async (name: string, _, command: Command) =>
      (await import("./keys.ts")).createKey(cli, name, command.optsWithGlobals()),
    );
  keys
    .command("list")
    .description("every key, whose it is and when it was used last")
    .addHelpText("after", examples("keys list", "keys list --json"))
    .action(async (_, command: Command) => (await import("./keys.ts")).listKeys(cli, command.optsWithGlobals()));
  keys
    .command("revoke")
    .description("a key lets nobody in any more, from now on")
    .argument("<id>", "as 'keys list' shows it")
    .option("--forget", "take its record away, too")
    .addHelpText("after", examples("keys revoke 3f9a01c2de"))
    .action(async (id: string, _, command: Command) =>
      (await import("./keys.ts")).revokeKey(cli, id, command.optsWithGlobals()),
    );
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;

/** A span of time from now, or a date. */
export function toMoment(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([mhdwy])$/.exec(text.trim()) ?? [];
  const at =
    amount === undefined
      ? new Date(/^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? text.trim() : Number.NaN)
      : new Date(Date.now() + Number(amount) * unitMs[unit as keyof typeof unitMs]);
  if (Number.isNaN(at.getTime()) || at.getTime() <= Date.now())
    throw new InvalidArgumentError(
      "Give a time from now such as 12h, 30d or 1y, or a date to come such as 2030-01-31.",
    );
  return at.toISOString();
}
