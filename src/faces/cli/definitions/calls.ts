import { agentStyles } from "../../../model/agent/agent-run.ts";
import { policyModes } from "../../../model/calls/call.ts";
import { page, tapes } from "./verbs.ts";

const model = `  --model <name> which configured model; 'default', or the only one
  --toolset <alias> give it this selection of tools; every tool when left out
  --style <style> {${agentStyles.join("|")}} how it asks for tools
  --context <text> who it is and what it should know; @FILE for the content of a file
  --tool-group <name> {list} a group of tools that is meant; repeatable, * for all
  --state <name> the state that it is in
  --max-turns <number> {count} maximum tool-call turns
  --max-calls <number> {count} calls in all
  --max-tokens <number> {count} tokens in all, in and out
  --max-seconds <seconds> {seconds} from the question to the answer; 0 for no limit`;
const files = `  --parallel <number> {parallel = 8} concurrency
  --out <file> write results there, one a line, instead of to standard output
  --resume go on where a run with this --out was interrupted
  --retry-failed the same, and try again what failed
  --force overwrite results in --out`;

/** Calls, agents, what happened to them, and a person's yes. */
export const callVerbs = `
call <tool> [values...]: call a tool
  <tool> the tool, in any spelling
  [values...] key=value or key:=json
  --args <json> arguments as JSON, @FILE, or - for standard input
  --timeout <seconds> {seconds} limit of this call; 0 for none
  --yes agree to what the policy would ask about
  --plan queue what would change something, instead of doing it
  --conversation <name> the conversation that the call belongs to
  --tool-group <name> {list} a group of tools that is meant; repeatable, default when left out
  --state <name> the state that an agent is in
  --file <name=address> {list} the address of a file that an argument names; repeatable
  --max-result <characters> {characters} keep a larger result and print its handle; 0 for never
  --save-artifacts <directory> write the files that come with the result into this directory
  --force overwrite files that are there already
  --dry-run stop before anything is executed, and say what the policy says
${tapes}
  > call.callTool $ call demo.greet name=Ann $ call demo.add a:=1 b:=2
  $ call demo.greet --args '{"name":"Ann"}' --json $ call demo.greet name=Ann --record calls.jsonl
batch <file>: many calls, some at a time
  <file> one call a line, {"tool": …, "arguments": {…}}; - for standard input
${files}
  --yes agree to what the policy would ask about
  --dry-run stop each before anything is executed
${tapes}
  > batch.batchCalls $ batch calls.jsonl $ batch calls.jsonl --out results.jsonl
  $ batch calls.jsonl --out results.jsonl --resume
generate <file>: many prompts, answered by a model with tools
  <file> one prompt a line, {"prompt": …, "id": …}; - for standard input
${files}
${model}
  --trace <file> write what happened in each run there, one a line
  > batch.generateAnswers $ generate prompts.jsonl --out answers.jsonl
  $ generate prompts.jsonl --out answers.jsonl --resume
  $ generate prompts.jsonl --toolset my-tools --parallel 16 --trace runs.jsonl
agent <question>: one answer of a model that has tools
  <question> what to answer; - for standard input
${model}
  --history <file> go on with the conversation in this file, and keep it there
  --trace <file> write what happened: text for .txt, else JSON
  --conversation <name> the conversation that the calls belong to
  --plan queue what would change something, instead of doing it
  --yes agree to what the policy would ask about
  --verbose show thoughts, calls and what they came to, also without a terminal
  --no-stream print the answer when it is whole
${tapes}
  > agent.askAgent $ agent "What is 17 plus 25?" $ agent "Greet Ann" --toolset my-tools --trace run.txt
  $ agent - --json < question.txt
code: programs that call tools as functions
  $ code run -e 'return await tools.demo.add({ a: 1, b: 2 })' $ code search 'read a file'
code run [file]: run a program in the sandbox; its calls go along the one path
  [file] JavaScript or TypeScript; - for standard input
  -e, --eval <source> the program itself, instead of a file
  --timeout <seconds> {seconds} limit of the whole run; 0 for none, 60 when left out
  --read-only refuse what may change something
  --resume <run> go on with a run that waited for an approval
  --conversation <name> the conversation that the calls and 'store' belong to
  --plan queue what would change something, instead of doing it
  --yes agree to what the policy would ask about
${tapes}
  > code.runProgram $ code run report.ts $ code run -e 'return await tools.demo.greet({ name: "Ann" })'
  $ code run report.ts --read-only --json
code search <query>: the tools that fit, as TypeScript declarations for a program
  <query> what the tools should do
  --limit <number> {limit} at most so many
  > code.searchTools $ code search 'read a file'
chat: talk to a model with tools, and try servers and tools by hand
  > chat.chat $ chat $ chat --config .mcp.json $ chat < script.txt
calls: the record of calls
  $ calls list --status failed $ calls verify
calls list: what was called, newest first; with --user only what they called
  --tool <name> only calls of the tool of exactly this name
  --status <status> only these: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run
  --run <id> only calls that this run of an agent made
  --payloads with arguments and results, where observability.keepPayloads is on; for --json
${page}
  > call-history.listCalls $ calls list $ calls list --status failed --limit 20 $ calls list --user ann
calls show <id>: one call: who, what, how it was decided, and where its time went; or a whole run of an agent
  <id> the id, as 'calls list' or 'calls runs' shows it
  > call-history.showCall $ calls show 0mwhdikxj-1a2b3c4d5e6f7g8h
calls runs: what agents were asked and how it went, newest first; with --user only what they asked
  --outcome <outcome> only these: completed, max-iterations, budget, failed, cancelled
  --model <name> only runs with this model
  --toolset <alias> only runs with this toolset
  --conversation <id> only runs of this conversation
  --since <time> only those that began then or later, such as 2026-11-15T09:00:00Z
${page}
  > call-history.listRuns $ calls runs $ calls runs --outcome failed --since 2026-11-15
calls verify: verify the audit hash chain; names the first call that fails
  --head <hash> a hash that an earlier run gave: it has to be in the record still
  > call-history.verifyCalls $ calls verify $ calls verify --head 9f86d081884c7d65…
audit: who changed what, from where
  $ audit list --operation keys.create $ audit verify
audit list: keys, configuration, servers, entries, approvals, pins, jobs and more, newest first
  --operation <name> only this verb, such as keys.create
  --target <name> only what was done to this key, server, tool or job
  --by <user> only what this user did
${page}
  > audit.listChanges $ audit list $ audit list --by ann --limit 20
audit show <id>: one change: who, from where, what, before and after
  <id> the id, as 'audit list' shows it
  > audit.showChange $ audit show 0mwhdikxj-1a2b3c4d5e6f7g8h
audit verify: verify the hash chains of changes and calls; names the first record that fails
  --head <hash> a hash that an earlier run gave: it has to be in the record still
  > audit.verifyAudit $ audit verify $ audit verify --head 9f86d081884c7d65…
results: large results that are kept for a while
  $ results list $ results get r_0123456789abcdef0123 --path items.0
results get <id>: one of them, whole or in parts
  <id> the id that was given in its place
  --offset <number> where to begin: a character, a line or a match
  --limit <number> at most so many of them; everything when left out
  --path <path> only this part of JSON: items.0.name or /items/0/name; '$result' is the result as it came
  --grep <pattern> only lines in which this is found, with those around them
  --lines count lines instead of characters
  > call-history.getResult $ results get r_0123456789abcdef0123 $ results get r_0123456789abcdef0123 --path items.0
  $ results get r_0123456789abcdef0123 --grep 'ERROR|WARN' --limit 20
results list: what is kept, newest first
${page}
  > call-history.listResults $ results list $ results list --json
dead-letters: calls that failed for good
  <id> the id, or its first characters
  [id] the id, or its first characters
  $ dead-letters list $ dead-letters retry 0835
dead-letters list: what failed, what becomes of it and what you can do
  --status <status> only these: pending, retrying, resolved or abandoned
  --tool <name> only calls of this tool
  --server <name> only calls of this server's tools
${page}
  > dead-letters.listDeadLetters $ dead-letters list $ dead-letters list --status pending --json
dead-letters retry [id]: make the call again, as its first caller
  --all {= false} every pending one that cannot have run already
  > dead-letters.retryDeadLetters $ dead-letters retry 3f2a $ dead-letters retry --all
dead-letters show <id>: one of them: the call, the error and everything that happened to it
  > dead-letters.showDeadLetter $ dead-letters show 3f2a
dead-letters resolve <id>: mark resolved
  --note <text> how it was resolved
  > dead-letters.settleDeadLetter resolve $ dead-letters resolve 3f2a --note 'sent by hand'
dead-letters abandon <id>: give it up: it is not tried again by itself
  --note <text> the reason, for the record
  > dead-letters.settleDeadLetter abandon $ dead-letters abandon 3f2a
dead-letters delete <id>: forget it, with its arguments
  > dead-letters.deleteDeadLetter $ dead-letters delete 3f2a
approvals: calls that wait for a person's yes
  <id> the id, or its first characters
  $ approvals list $ approvals approve 9b64 $ approvals reject 9b64 --reason 'not today'
approvals list: what waits: which tool, who asked, and why it is asked about
  --status <status> pending (the default), done, rejected, expired …, or all
  --all the same as --status all
  --order <order> oldest, newest, or pending: what waits first, then the rest, newest first
  > approvals.listApprovals $ approvals list $ approvals list --status rejected --json
approvals show <id>: one of them: what would run, with which arguments, and why it is asked about
  > approvals.showApproval $ approvals show 3f2a
approvals approve <id>: say yes: the call runs
  --args <json> run it with these arguments instead; JSON, @FILE, or - for standard input
  --reason <text> the reason, for the record
  --remember <what> do not ask again for this: tool, arguments or server
  --for <time> {span} remember it so long: 30m, 12h, 30d; forever when left out
  --only-conversation remember it in the conversation of the call only
  > approvals.approveCall $ approvals approve 3f2a $ approvals approve 3f2a --remember tool --for 1h
approvals reject <id>: say no: the call does not run
  --reason <text> the reason, for the caller
  > approvals.rejectCall $ approvals reject 3f2a --reason 'not on a Friday'
approvals remembered: what is not asked about again, because you said so
  > approvals.listRemembered $ approvals remembered
approvals forget <id>: ask about it again
  <id> as 'approvals remembered' shows it
  > approvals.forgetRemembered $ approvals forget 3f2a
plan: changes that were queued instead of made; plans to make, check and run
  [id] the plan's id, or its first characters; the newest that waits when left out
  <file> a script of 'toolplane call' lines, or its steps as JSON; - for standard input
  $ plan show $ plan approve --first 1 $ plan make 'greet Ann' --out greet.sh
plan list: every plan, newest first
  > plans.listPlans $ plan list $ plan list --json
plan show [id]: what would be done, in order, with which arguments
  > plans.showPlan $ plan show $ plan show 3f2a --json
plan approve [id]: run what waits, in order, until something fails
  --first <number> {count} only the first so many; the rest goes on waiting
  --change <change> {list} only this one, by its number or its id; repeatable
  --continue go on where something fails
  --args <change=json> {list} run a change with these arguments instead; repeatable
  > plans.approvePlan $ plan approve $ plan approve --first 1 $ plan approve --args '2={"text":"hi"}'
plan reject [id]: none of what waits is done
  --change <change> {list} only this one, by its number or its id; repeatable
  --reason <text> the reason, for the record
  > plans.rejectPlan $ plan reject $ plan reject 3f2a --change 2 --reason 'not that branch'
plan make <task>: have a task planned with the tools there are; prints a script and calls nothing
  <task> what is to be done, in plain words; - for standard input
  --out <file> write the script into this file
  --force overwrite a file that is there already
  --planner <tool> {= planner.plan_with_tools} the tool that plans
  --timeout <seconds> {seconds = 300} how long the planner may take; 0 for no limit
  > plan-files.makePlan $ plan make 'greet Ann and Bob' $ plan make 'greet Ann and Bob' --out greet.sh
plan check <file>: what is wrong with a plan, line by line; nothing of it is run
  > plan-files.checkPlan $ plan check greet.sh $ plan check steps.json --json
plan run <file>: make the calls of a plan one after the other, until one fails
  --dry-run try every step and stop before it is executed
  --yes agree to what the policy would ask about
  > plan-files.runPlan $ plan run greet.sh --dry-run $ plan run greet.sh
policy: what may run, what is asked about and what is refused
  $ policy test demo.add_note note=milk --face mcp
policy test <tool> [values...]: what the policy says about a call, without making it
  <tool> the tool, in any spelling
  [values...] key=value or key:=json
  --args <json> arguments as JSON, @FILE, or - for standard input
  --face <face> {cli|http|mcp|workbench|library|agent = cli} as if called through this
  --mode <mode> {${policyModes.join("|")}} as if in this mode, where it is the stricter
  > approvals.testPolicy $ policy test git.push branch=main $ policy test git.push --face mcp --json
`;
