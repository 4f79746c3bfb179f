import { collect, type Run, type Verb, withWorkFilters } from "./parts.ts";

const bodies = {
  jobs: () => import("../commands/jobs.ts"),
  skills: () => import("../commands/skills.ts"),
};

export function addTaskCommands(program: Verb, run: Run): void {
  const tasks = program.verb("tasks", "pieces of work, and when each counts as done");
  withWorkFilters(tasks.command("list"))
    .description("every task that is there for you, or for the personas that are meant")
    .examples("tasks list", "tasks list --query report --json")
    .action(run(bodies.jobs, "listTasks"));
  tasks
    .verb("show", "one task: its skills, what it needs and when it is done")
    .argument("<name>", "its name")
    .examples("tasks show gather")
    .action(run(bodies.jobs, "showTask"));
}

const personaHelp = "of this persona and shared; -shared leaves those out; repeatable";

export function addSkillCommands(program: Verb, run: Run): void {
  const skills = program.verb("skills", "instructions with the tools they need");
  skills
    .verb("list", "every skill that is there for you, or those that are meant")
    .option("--persona-filter <name>", personaHelp, collect)
    .option("--capability <tag>", "tagged with it or in need of it; repeatable, all are needed", collect)
    .option("--query <words>", "whose name, summary, category, tags or instructions contain these words")
    .option("--limit <number>", "so many at most, up to 1000")
    .option("--cursor <text>", "go on where an earlier page ended")
    .examples("skills list", "skills list --capability research --json")
    .action(run(bodies.skills, "listSkills"));
  skills
    .verb("show", "one skill: instructions, what it needs, and what of that is missing")
    .argument("<name>", "its name")
    .examples("skills show research")
    .action(run(bodies.skills, "showSkill"));
  skills
    .verb("run", "look whether everything is there, then do what it says")
    .argument("<name>", "its name")
    .argument("[input...]", "key=text or key:=json")
    .option("--args <json>", "the input as JSON, @file or - for standard input")
    .option("--yes", "yes to what the policy would ask")
    .option("--dry-run", "say what would be done, or why it cannot be")
    .option("--model <name>", "the model that follows instructions without steps")
    .option("--conversation <id>", "a conversation that goes on")
    .examples("skills run report city=Rome", "skills run report --dry-run")
    .action(run(bodies.skills, "runSkill"));
}

export function addJobCommands(program: Verb, run: Run): void {
  const jobs = program.verb("jobs", "scheduled workflows");
  withWorkFilters(jobs.command("list"))
    .description("every job that is there for you, or for the personas that are meant, and when it is due")
    .examples("jobs list", "jobs list --persona Atlas --json")
    .action(run(bodies.jobs, "listJobs"));
  addRunCommands(jobs, run);
  jobs
    .verb("show", "one job: its tasks, when it is due and how it does")
    .argument("<name>", "its name")
    .examples("jobs show digest")
    .action(run(bodies.jobs, "showJob"));
  for (const [verb, what] of [
    ["pause", "do not begin it by the clock any more"],
    ["resume", "begin it by the clock again; times that passed are not made up for"],
  ] as const)
    jobs
      .verb(verb, what)
      .argument("<name>", "its name")
      .examples(`jobs ${verb} digest`)
      .action(run(bodies.jobs, "switchJob", verb));
  jobs
    .verb("history", "its runs, newest first")
    .argument("<name>", "its name")
    .option("--state <state>", "only those: scheduled, running, succeeded, failed or cancelled")
    .option("--limit <number>", "so many at most, up to 100; 20 when left out")
    .option("--cursor <text>", "go on where an earlier page ended")
    .examples("jobs history digest", "jobs history digest --state failed --json")
    .action(run(bodies.jobs, "listHistory"));
}

function addRunCommands(jobs: Verb, run: Run): void {
  const withRunOptions = (command: Verb) =>
    command
      .option("--detach", "do not wait until it is over; needs a plane that serves")
      .option("--key <text>", "idempotency key");
  withRunOptions(jobs.command("run"))
    .description("begin it now, and wait until it is over")
    .argument("<name>", "its name")
    .argument("[input...]", "key=text or key:=json")
    .option("--args <json>", "the input as JSON, @file or - for standard input")
    .examples("jobs run digest", "jobs run digest city=Rome --detach")
    .action(run(bodies.jobs, "runJob"));
  withRunOptions(jobs.command("rerun"))
    .description("begin another run with the input of one that is over")
    .argument("<run>", "the id of the run")
    .examples("jobs rerun 0mwhyf64f-3lz9cvxd00w24d5n")
    .action(run(bodies.jobs, "rerunJob"));
  jobs
    .verb("status", "one run: its tasks, their steps and how they went")
    .argument("<run>", "the id of the run")
    .examples("jobs status 0mwhyf64f-3lz9cvxd00w24d5n")
    .action(run(bodies.jobs, "showRun"));
  jobs
    .verb("cancel", "end a run, or keep it from beginning")
    .argument("<run>", "the id of the run")
    .examples("jobs cancel 0mwhyf64f-3lz9cvxd00w24d5n")
    .action(run(bodies.jobs, "cancelRun"));
}
