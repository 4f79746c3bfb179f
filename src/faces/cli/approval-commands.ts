import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "./cli.ts";
import { examples, type SetExitCode } from "./command-parts.ts";

const id = "the id, or its first characters";

/** Calls that wait for a person's yes. */
export function addApprovalCommands(program: Command, cli: Cli, setExitCode: SetExitCode): void {
  const verbs = () => import("./approvals.ts");
  const approvals = program.command("approvals").description("calls that wait for a person's yes");
  approvals
    .command("list")
    .description("what waits: which tool, who asked, and why it is asked about")
    .option("--status <status>", "pending (the default), done, rejected, expired …, or all")
    .option("--all", "the same as --status all")
    .option("--order <order>", "oldest, newest, or pending: what waits first, then the rest, newest first")
    .addHelpText("after", examples("approvals list", "approvals list --status rejected --json"))
    .action(async (_, command: Command) => (await verbs()).listApprovals(cli, command.optsWithGlobals()));
  approvals
    .command("show")
    .description("one of them: what would run, with which arguments, and why it is asked about")
    .argument("<id>", id)
    .addHelpText("after", examples("approvals show 3f2a"))
    .action(async (given: string, _, command: Command) =>
      (await verbs()).showApproval(cli, given, command.optsWithGlobals()),
    );
  approvals
    .command("approve")
    .description("say yes: the call runs")
    .argument("<id>", id)
    .option("--args <json>", "run it with these arguments instead; JSON, @FILE, or - for standard input")
    .option("--reason <text>", "why, for whoever looks later")
    .option("--remember <what>", "do not ask again for this: tool, arguments or server")
    .option("--for <time>", "remember it so long: 30m, 12h, 30d; for good when left out", toSpanMs)
    .option("--only-conversation", "remember it in the conversation of the call only")
    .addHelpText("after", examples("approvals approve 3f2a", "approvals approve 3f2a --remember tool --for 1h"))
    .action(async (given: string, _, command: Command) =>
      setExitCode(await (await verbs()).approveCall(cli, given, command.optsWithGlobals())),
    );
  approvals
    .command("reject")
    .description("say no: the call does not run")
    .argument("<id>", id)
    .option("--reason <text>", "why, for whoever asked")
    .addHelpText("after", examples("approvals reject 3f2a --reason 'not on a Friday'"))
    .action(async (given: string, _, command: Command) =>
      (await verbs()).rejectCall(cli, given, command.optsWithGlobals()),
    );
  approvals
    .command("remembered")
    .description("what is not asked about again, because you said so")
    .addHelpText("after", examples("approvals remembered"))
    .action(async (_, command: Command) => (await verbs()).listRemembered(cli, command.optsWithGlobals()));
  approvals
    .command("forget")
    .description("ask about it again")
    .argument("<id>", "as 'approvals remembered' shows it")
    .addHelpText("after", examples("approvals forget 3f2a"))
    .action(async (given: string, _, command: Command) =>
      (await verbs()).forgetRemembered(cli, given, command.optsWithGlobals()),
    );
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function toSpanMs(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([smhdw])$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (ms > 0) return ms;
  throw new InvalidArgumentError("Give a time such as 30m, 12h or 30d.");
}
