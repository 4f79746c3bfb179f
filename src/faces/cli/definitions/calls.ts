import { agentStyles } from "../../../model/agent/agent-run.ts";
import { policyModes } from "../../../model/calls/call.ts";
import { page, tapes } from "./verbs.ts";

const model = `  --model <name> the configured model to use; by default 'default', or the only one
  --toolset <alias> the toolset it gets; every tool when left out
  --style <style> {${agentStyles.join("|")}} how it asks for tools
  --context <text> who it is and what it should know; @FILE for the content of a file
  --tool-group <name> {list} a tool group to use; repeatable, * for all
  --state <name> the state it starts in
  --max-turns <number> {count} maximum tool-call turns
  --max-calls <number> {count} maximum number of calls
  --max-tokens <number> {count} maximum tokens, input and output together
  --max-seconds <seconds> {seconds} time limit of the run; 0 for no limit`;
const files = `  --parallel <number> {parallel = 8} concurrency
  --out <file> write results there, one per line, instead of to standard output
  --resume continue a run with this --out that was interrupted
  --retry-failed the same, and retry what failed
  --force overwrite results in --out`;

/** Calls, agents, what happened to them, and a person's yes. */
export const callVerbs = `
call <tool> [values...]: call a tool
  <tool> the tool, in any spelling
  [values...] key=value or key:=json
  --args <json> arguments as JSON, @FILE, or - for standard input
  --timeout <seconds> {seconds} limit of this call; 0 for none
  --yes agree to what the policy would ask about
  --plan queue writes instead of making them
  --conversation <name> the conversation that the call belongs to
  --tool-group <name> {list} a tool group to use; repeatable, default when left out
  --state <name> the state that an agent is in
  --file <name=address> {list} the address of a file that an argument names; repeatable
  --max-result <characters> {characters} keep a larger result and print its handle; 0 for never
  --save-artifacts <directory> write the files that come with the result into this directory
  --force overwrite existing files
  --dry-run stop before anything is executed; show the policy's verdict
${tapes}
  > call.callTool $ call demo.greet name=Ann $ call demo.add a:=1 b:=2
  $ call demo.greet --args '{"name":"Ann"}' --json $ call demo.greet name=Ann --record calls.jsonl
batch <file>: make the calls of a file, several at once
  <file> one call per line, {"tool": …, "arguments": {…}}; - for standard input
${files}
  --yes agree to what the policy would ask about
  --dry-run stop each before anything is executed
${tapes}
  > batch.batchCalls $ batch calls.jsonl $ batch calls.jsonl --out results.jsonl
  $ batch calls.jsonl --out results.jsonl --resume
generate <file>: answer the prompts of a file with a model and tools
  <file> one prompt per line, {"prompt": …, "id": …}; - for standard input
${files}
${model}
  --trace <file> write the trace of each run there, one per line
  > batch.generateAnswers $ generate prompts.jsonl --out answers.jsonl
  $ generate prompts.jsonl --out answers.jsonl --resume
  $ generate prompts.jsonl --toolset my-tools --parallel 16 --trace runs.jsonl
agent <question>: answer a question with a model and tools
  <question> what to answer; - for standard input
${model}
  --history <file> continue the conversation in this file, and save it there
  --trace <file> write the trace of the run: text for .txt, else JSON
  --conversation <name> the conversation that the calls belong to
  --plan queue writes instead of making them
  --yes agree to what the policy would ask about
  --verbose show thoughts, calls and results, even without a terminal
  --no-stream print the answer when it is complete
${tapes}
  > agent.askAgent $ agent "What is 17 plus 25?" $ agent "Greet Ann" --toolset my-tools --trace run.txt
  $ agent - --json < question.txt
code: programs that call tools as functions
  $ code run -e 'return await tools.demo.add({ a: 1, b: 2 })' $ code search 'read a file'
code run [file]: run a program in the sandbox; policy and limits apply to its calls
  [file] JavaScript or TypeScript; - for standard input
  -e, --eval <source> the program itself, instead of a file
  --timeout <seconds> {seconds} limit of the whole run; 0 for none, 60 when left out
  --read-only refuse what may change something
  --resume <run> continue a run that waited for an approval
  --conversation <name> the conversation that the calls and 'store' belong to
  --plan queue writes instead of making them
  --yes agree to what the policy would ask about
${tapes}
  > code.runProgram $ code run report.ts $ code run -e 'return await tools.demo.greet({ name: "Ann" })'
  $ code run report.ts --read-only --json
code search <query>: matching tools, as TypeScript declarations for a program
  <query> what the tools should do
  --limit <number> {limit} maximum number of tools
  > code.searchTools $ code search 'read a file'
chat: talk to a model with tools, and try servers and tools by hand
  > chat.chat $ chat $ chat --config .mcp.json $ chat < script.txt
calls: recorded calls
  $ calls list --status failed $ calls verify
calls list: recorded calls, newest first; with --user only those of that user
  --tool <name> only calls of this tool, by its exact name
  --status <status> only this status: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run
  --run <id> only calls of this agent run
  --conversation <id> only calls of this conversation
  --payloads include arguments and results, if observability.keepPayloads is on; for --json
${page}
  > call-history.listCalls $ calls list $ calls list --status failed --limit 20 $ calls list --user ann
calls export [file]: calls as JSON lines or as a HAR document, newest first, to a file or to standard output
  [file] standard output when left out or -
  --format <format> {jsonl|har} jsonl when left out; har opens in network request viewers
  --tool <name> only calls of this tool, by its exact name
  --status <status> only this status: succeeded, tool_error, failed, refused, waiting, cancelled, dry_run
  --run <id> only calls of this agent run
  --conversation <id> only calls of this conversation
  --limit <number> {count} maximum number of calls; all when left out
  > call-history.exportCalls $ calls export calls.jsonl $ calls export calls.har --format har --status failed
calls show <id>: one call: caller, verdict, attempts and timing; or a whole agent run
  <id> the id, as 'calls list' or 'calls runs' shows it
  > call-history.showCall $ calls show 0mwhdikxj-1a2b3c4d5e6f7g8h
calls runs: agent runs with question and outcome, newest first; with --user only those of that user
  --outcome <outcome> only this outcome: completed, max-iterations, budget, failed, cancelled
  --model <name> only runs with this model
  --toolset <alias> only runs with this toolset
  --conversation <id> only runs of this conversation
  --since <time> only runs that started at this time or later, such as 2026-11-15T09:00:00Z
${page}
  > call-history.listRuns $ calls runs $ calls runs --outcome failed --since 2026-11-15
calls verify: verify the audit hash chain; names the first call that fails
  --head <hash> a hash from an earlier run, which must still be in the record
  --since <time> only records of this day or moment and later, such as 2026-11-15
  --until <time> only records up to the end of this day, or up to this moment
  --keep-days <number> {count} how old records had to be when they were removed; calls.keepDays when left out
  > call-history.verifyCalls $ calls verify $ calls verify --head 9f86d081884c7d65… $ calls verify --since 2026-11-15
conversations: what you asked agents, by conversation
  <conversation> the id, as 'calls runs --json' and 'calls show' name it
  $ conversations rename chat-0a1b 'Release notes' $ conversations delete chat-0a1b
conversations rename <conversation> <title>: give a conversation a title
  <title> at most 200 characters; '' removes it
  > call-history.renameConversation $ conversations rename chat-0a1b 'Release notes'
conversations delete <conversation>: delete its runs and messages; the records of its calls stay
  > call-history.deleteConversation $ conversations delete chat-0a1b
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
  --head <hash> a hash from an earlier run, which must still be in the record
  --since <time> only records of this day or moment and later, such as 2026-11-15
  --until <time> only records up to the end of this day, or up to this moment
  --keep-days <number> {count} how old records had to be when they were removed; calls.keepDays when left out
  > audit.verifyAudit $ audit verify $ audit verify --head 9f86d081884c7d65…
results: large results, stored for a while
  $ results list $ results get r_0123456789abcdef0123 --path items.0
results get <id>: one stored result, whole or in parts
  <id> the handle that was returned instead of the result
  --offset <number> where to begin: a character, a line or a match
  --limit <number> how many of them; everything when left out
  --path <path> only this part of JSON: items.0.name or /items/0/name; '$result' is the unchanged result
  --grep <pattern> only lines that match, with the lines around them
  --lines count lines instead of characters
  > call-history.getResult $ results get r_0123456789abcdef0123 $ results get r_0123456789abcdef0123 --path items.0
  $ results get r_0123456789abcdef0123 --grep 'ERROR|WARN' --limit 20
results list: stored results, newest first
${page}
  > call-history.listResults $ results list $ results list --json
dead-letters: calls that failed permanently
  <id> the id, or its first characters
  [id] the id, or its first characters
  $ dead-letters list $ dead-letters retry 0835
dead-letters list: failed calls, their status and what you can do
  --status <status> only this status: pending, retrying, resolved or abandoned
  --tool <name> only calls of this tool
  --server <name> only calls of this server's tools
${page}
  > dead-letters.listDeadLetters $ dead-letters list $ dead-letters list --status pending --json
dead-letters retry [id]: make the call again, as its first caller
  --all {= false} every pending one that cannot have run already
  > dead-letters.retryDeadLetters $ dead-letters retry 3f2a $ dead-letters retry --all
dead-letters show <id>: one dead letter: the call, the error and its history
  > dead-letters.showDeadLetter $ dead-letters show 3f2a
dead-letters resolve <id>: mark resolved
  --note <text> how it was resolved
  > dead-letters.settleDeadLetter resolve $ dead-letters resolve 3f2a --note 'sent by hand'
dead-letters abandon <id>: give it up: it is not retried automatically
  --note <text> the reason, for the record
  > dead-letters.settleDeadLetter abandon $ dead-letters abandon 3f2a
dead-letters delete <id>: delete it, with its arguments
  > dead-letters.deleteDeadLetter $ dead-letters delete 3f2a
approvals: calls that wait for a person's yes
  <id> the id, or its first characters
  $ approvals list $ approvals approve 9b64 $ approvals reject 9b64 --reason 'not today'
approvals list: waiting calls: tool, caller and reason
  --status <status> pending (the default), done, rejected, expired …, or all
  --all the same as --status all
  --order <order> oldest, newest, or pending: waiting ones first, then the rest, newest first
  > approvals.listApprovals $ approvals list $ approvals list --status rejected --json
approvals show <id>: one approval: the tool, its arguments and why it needs a yes
  > approvals.showApproval $ approvals show 3f2a
approvals approve <id>: say yes: the call runs
  --args <json> run it with these arguments instead; JSON, @FILE, or - for standard input
  --reason <text> the reason, for the record
  --remember <what> do not ask again for this: tool, arguments or server
  --for <time> {span} how long to remember it: 30m, 12h, 30d; no end when left out
  --only-conversation remember it in the conversation of the call only
  > approvals.approveCall $ approvals approve 3f2a $ approvals approve 3f2a --remember tool --for 1h
approvals reject <id>: the call does not run
  --reason <text> the reason, for the caller
  > approvals.rejectCall $ approvals reject 3f2a --reason 'not on a Friday'
approvals remembered: answers that you chose to remember
  > approvals.listRemembered $ approvals remembered
approvals forget <id>: forget a remembered answer, so that you are asked again
  <id> as 'approvals remembered' shows it
  > approvals.forgetRemembered $ approvals forget 3f2a
plan: queued changes of plan mode; plans to write, check and run
  [id] the plan's id, or its first characters; the newest that waits when left out
  <file> a script of 'toolplane call' lines, or its steps as JSON; - for standard input
  $ plan show $ plan approve --first 1 $ plan make 'greet Ann' --out greet.sh
plan list: every plan, newest first
  > plans.listPlans $ plan list $ plan list --json
plan show [id]: the changes in order, with their arguments
  > plans.showPlan $ plan show $ plan show 3f2a --json
plan approve [id]: run the waiting changes in order, until one fails
  --first <number> {count} only this many, from the first; the rest keep waiting
  --change <change> {list} only this one, by its number or its id; repeatable
  --continue continue after a failure
  --args <change=json> {list} run a change with these arguments instead; repeatable
  > plans.approvePlan $ plan approve $ plan approve --first 1 $ plan approve --args '2={"text":"hi"}'
plan reject [id]: reject the waiting changes; none of them runs
  --change <change> {list} only this one, by its number or its id; repeatable
  --reason <text> the reason, for the record
  > plans.rejectPlan $ plan reject $ plan reject 3f2a --change 2 --reason 'not that branch'
plan make <task>: plan a task with the available tools; prints a script and calls nothing
  <task> the task in plain words; - for standard input
  --out <file> write the script to this file
  --force overwrite an existing file
  --planner <tool> {= planner.plan_with_tools} the planning tool
  --timeout <seconds> {seconds = 300} how long the planner may take; 0 for no limit
  > plan-files.makePlan $ plan make 'greet Ann and Bob' $ plan make 'greet Ann and Bob' --out greet.sh
plan check <file>: check a plan line by line; runs nothing
  > plan-files.checkPlan $ plan check greet.sh $ plan check steps.json --json
plan run <file>: make the calls of a plan in order, until one fails
  --dry-run try every step and stop before it is executed
  --yes agree to what the policy would ask about
  > plan-files.runPlan $ plan run greet.sh --dry-run $ plan run greet.sh
policy: which calls run, which ask a person and which are refused
  $ policy test demo.add_note note=milk --face mcp
policy test <tool> [values...]: what the policy says about a call, without making it
  <tool> the tool, in any spelling
  [values...] key=value or key:=json
  --args <json> arguments as JSON, @FILE, or - for standard input
  --face <face> {cli|http|mcp|workbench|library|agent = cli} as if called through this face
  --mode <mode> {${policyModes.join("|")}} as if in this mode, if it is stricter
  > approvals.testPolicy $ policy test git.push branch=main $ policy test git.push --face mcp --json
policy preview <file>: which verdicts on the last hundred calls these rules would change; nothing is written
  <file> a list of rules, as JSON or YAML; - for standard input
  > approvals.previewRules $ policy preview rules.json $ policy preview rules.yaml --json
policy save <file>: write these rules into the configuration file; comments stay with their rule
  <file> a list of rules, as JSON or YAML; - for standard input
  --revision <text> refuse if the rules in the file have changed since this revision
  > approvals.saveRules $ policy save rules.json
`;
