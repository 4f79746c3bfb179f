import { InvalidArgumentError, Option } from "commander";
import { policyModes } from "../../../model/calls/call.ts";
import { collect, type Run, toCount, toSeconds, type Verb } from "./parts.ts";

const bodies = {
  approvals: () => import("../commands/approvals.ts"),
  planFiles: () => import("../commands/plan-files.ts"),
  plans: () => import("../commands/plans.ts"),
};

const approvalId = "the id, or its first characters";

export function addApprovalCommands(program: Verb, run: Run): void {
  const approvals = program.verb("approvals", "calls that wait for a person's yes");
  approvals
    .verb("list", "what waits: which tool, who asked, and why it is asked about")
    .option("--status <status>", "pending (the default), done, rejected, expired …, or all")
    .option("--all", "the same as --status all")
    .option("--order <order>", "oldest, newest, or pending: what waits first, then the rest, newest first")
    .examples("approvals list", "approvals list --status rejected --json")
    .action(run(bodies.approvals, "listApprovals"));
  approvals
    .verb("show", "one of them: what would run, with which arguments, and why it is asked about")
    .argument("<id>", approvalId)
    .examples("approvals show 3f2a")
    .action(run(bodies.approvals, "showApproval"));
  approvals
    .verb("approve", "say yes: the call runs")
    .argument("<id>", approvalId)
    .option("--args <json>", "run it with these arguments instead; JSON, @FILE, or - for standard input")
    .option("--reason <text>", "the reason, for the record")
    .option("--remember <what>", "do not ask again for this: tool, arguments or server")
    .option("--for <time>", "remember it so long: 30m, 12h, 30d; forever when left out", toSpanMs)
    .option("--only-conversation", "remember it in the conversation of the call only")
    .examples("approvals approve 3f2a", "approvals approve 3f2a --remember tool --for 1h")
    .action(run(bodies.approvals, "approveCall"));
  approvals
    .verb("reject", "say no: the call does not run")
    .argument("<id>", approvalId)
    .option("--reason <text>", "the reason, for the caller")
    .examples("approvals reject 3f2a --reason 'not on a Friday'")
    .action(run(bodies.approvals, "rejectCall"));
  approvals
    .verb("remembered", "what is not asked about again, because you said so")
    .examples("approvals remembered")
    .action(run(bodies.approvals, "listRemembered"));
  approvals
    .verb("forget", "ask about it again")
    .argument("<id>", "as 'approvals remembered' shows it")
    .examples("approvals forget 3f2a")
    .action(run(bodies.approvals, "forgetRemembered"));
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

function toSpanMs(text: string): number {
  const [, amount, unit] = /^(\d{1,4})([smhdw])$/.exec(text.trim()) ?? [];
  const ms = Number(amount) * unitMs[unit as keyof typeof unitMs];
  if (ms > 0) return ms;
  throw new InvalidArgumentError("Give a time such as 30m, 12h or 30d.");
}

const file = "a script of 'toolplane call' lines, or its steps as JSON; - for standard input";

/** Plans that are made of calls: made by a planner or by hand, looked at, run. */
function addToolPlanCommands(plan: Verb, run: Run): void {
  plan
    .verb("make", "have a task planned with the tools there are; prints a script and calls nothing")
    .argument("<task>", "what is to be done, in plain words; - for standard input")
    .option("--out <file>", "write the script into this file")
    .option("--force", "overwrite a file that is there already")
    .option("--planner <tool>", "the tool that plans", "planner.plan_with_tools")
    .option("--timeout <seconds>", "how long the planner may take; 0 for no limit", toSeconds, 300)
    .examples("plan make 'greet Ann and Bob'", "plan make 'greet Ann and Bob' --out greet.sh")
    .action(run(bodies.planFiles, "makePlan"));
  plan
    .verb("check", "what is wrong with a plan, line by line; nothing of it is run")
    .argument("<file>", file)
    .examples("plan check greet.sh", "plan check steps.json --json")
    .action(run(bodies.planFiles, "checkPlan"));
  plan
    .verb("run", "make the calls of a plan one after the other, until one fails")
    .argument("<file>", file)
    .option("--dry-run", "try every step and stop before it is executed")
    .option("--yes", "agree to what the policy would ask about")
    .examples("plan run greet.sh --dry-run", "plan run greet.sh")
    .action(run(bodies.planFiles, "runPlan"));
}

const planId = "the plan's id, or its first characters; the newest that waits when left out";
const change = "only this one, by its number or its id; repeatable";

/** Changes that were queued instead of made, and plans that are made of calls. */
export function addPlanCommands(program: Verb, run: Run): void {
  const plan = program.verb("plan", "changes that were queued instead of made; plans to make, check and run");
  plan
    .verb("list", "every plan, newest first")
    .examples("plan list", "plan list --json")
    .action(run(bodies.plans, "listPlans"));
  plan
    .verb("show", "what would be done, in order, with which arguments")
    .argument("[id]", planId)
    .examples("plan show", "plan show 3f2a --json")
    .action(run(bodies.plans, "showPlan"));
  plan
    .verb("approve", "run what waits, in order, until something fails")
    .argument("[id]", planId)
    .option("--first <number>", "only the first so many; the rest goes on waiting", toCount)
    .option("--change <change>", change, collect)
    .option("--continue", "go on where something fails")
    .option("--args <change=json>", "run a change with these arguments instead; repeatable", collect)
    .examples("plan approve", "plan approve --first 1", `plan approve --args '2={"text":"hi"}'`)
    .action(run(bodies.plans, "approvePlan"));
  plan
    .verb("reject", "none of what waits is done")
    .argument("[id]", planId)
    .option("--change <change>", change, collect)
    .option("--reason <text>", "the reason, for the record")
    .examples("plan reject", "plan reject 3f2a --change 2 --reason 'not that branch'")
    .action(run(bodies.plans, "rejectPlan"));
  addToolPlanCommands(plan, run);
}

const faces = ["cli", "http", "mcp", "workbench", "library", "agent"];

export function addPolicyCommands(program: Verb, run: Run): void {
  program
    .verb("policy", "what may run, what is asked about and what is refused")
    .verb("test", "what the policy says about a call, without making it")
    .argument("<tool>", "the tool, in any spelling")
    .argument("[values...]", "key=value or key:=json")
    .option("--args <json>", "arguments as JSON, @FILE, or - for standard input")
    .addOption(new Option("--face <face>", "as if called through this").choices(faces).default("cli"))
    .addOption(new Option("--mode <mode>", "as if in this mode, where it is the stricter").choices(policyModes))
    .examples("policy test git.push branch=main", "policy test git.push --face mcp --json")
    .action(run(bodies.approvals, "testPolicy"));
}
