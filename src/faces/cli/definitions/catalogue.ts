import { page } from "./verbs.ts";

const filters = `  --persona-filter <name> {list} of this persona, and shared ones; -shared excludes those; repeatable
  --query <words> whose name, summary or description contain these words
${page}`;

/** Tools, and the work that is written by hand: see `verbs.ts` for the form. */
export const catalogueVerbs = `
tools: the catalogue
  $ tools list --server demo $ tools show demo.add $ tools export --format openai
tools list: the tools that you may call
  --server <name> only the tools of this server
  --persona-filter <name> {list} of this persona, and shared ones; -shared excludes those; repeatable
  --provider <name> {list} executed by this kind of provider; repeatable, all must match
  --capability <tag> {list} with this capability; repeatable, all must match
  --version-range <range> of these versions: ^1.2, '>=1.2, <2', 1.x
  --side-effects <kind> {list} with this side effect; repeatable, one is enough
  --safety-level <level> {list} low, medium or high; repeatable, one is enough
  --impact <kind> {list} by what its calls may do: reads, writes, destroys or unknown; repeatable, one is enough
  --quarantined [flag] only quarantined and disabled tools; false: only others
  --overlaid [flag] only tools with an overlay; false: only others
  --unused [flag] only tools without calls; false: only others
  --min-success-rate <share> with at least this success rate: 0.8, 80 or 80%
  --include-unused <flag> include tools without calls: true or false
  --tool-group <name> {list} of this tool group; repeatable, * for all, default when left out
  --state <name> available in this state; * for any
  --query <words> whose name, description or capabilities contain these words
${page}
  --quality {= false} show the score and the findings of each definition
  > tools.listTools $ tools list --server demo $ tools list --capability web_search --min-success-rate 80%
  $ tools list --version-range '^1.2' --side-effects none --json
tools show <name>: one tool: arguments, metadata, providers, health
  <name> any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique
  > tools.showTool $ tools show demo.greet
tools export: the tools you may call, in the format of a model's API; JSON on standard output
  --format <name> {required} openai, anthropic, mcp, ai-sdk, json-schema, openai-responses, or code: TypeScript declarations
  --server <name> only the tools of this server
  --tool <name> {list} only this tool, in any spelling; repeatable
  --defer for models that search for tools themselves: anthropic, openai-responses
  > tools.exportTools $ tools export --format openai $ tools export --format anthropic --server demo > tools.json
  $ tools export --format anthropic --defer
tools set <file>: set a tool; it takes precedence over one of the same name in a file
  <file> a manifest, - for standard input; with --server and --tool the name of the tool
  --server <name> call a tool of this server
  --tool <name> the tool of that server
  --description <text> what it does; the server's description when left out
  --argument <name:type:text> {list} an argument, name?: for an optional one; repeatable
  --side-effects <kind> none, write, network, …
  --tool-group <name> {list} add it to this tool group; repeatable
  --state <name> the state an agent is in after it
  --applicable-states <name> {list} available only in this state; repeatable
  --reason <text> why, for the history
  > registry.setTool $ tools set lookup.json --reason 'for the help desk'
  $ tools set weather --server demo --tool greet --argument 'name:string:Whom to greet: a first name'
  $ tools set - < lookup.json
tools delete <name>: delete a tool that was set; a tool of that name in a file applies again
  <name> its name; with --persona that persona's
  --reason <text> why, for the history
  > registry.deleteTool $ tools delete lookup --reason 'not needed any more'
tools changes [name]: what changed in the catalogue, when, by whom and why; newest first
  [name] only of this tool
  --kind <kind> added, changed, removed or listed
  --limit <number> maximum number of changes, up to 1000; 50 when left out
  --offset <number> skip this many of the newest
  > registry.listChanges $ tools changes $ tools changes lookup --limit 5 $ tools changes --json
tools lint: scores and findings of tool definitions, worst first; exit code 1 if a tool does not pass
  --server <name> only the tools of this server
  --threshold <score> the score a tool needs to pass, 0 to 100; 40 when left out
  --require-examples {= false} a description without an example loses points
  --fail-on <severity> {= high} findings of this severity or worse fail a tool: high, medium or low; none: only the score counts
  > quality.lintTools $ tools lint $ tools lint --server demo --threshold 80 --json $ tools lint --fail-on medium
codegen <kind>: TypeScript for tools: types, a client with a method for each, or the command line of one server
  <kind> types, client or cli
  --server <name> only the tools of this server
  --toolset <name> only the tools of this toolset
  --out <directory> write the files there instead of to standard output
  > codegen.generateCode $ codegen types > tools.ts $ codegen client --toolset small --out src/tools
  $ codegen cli --server demo --out bin
registry: show, export and import tools, skills, tasks and jobs
  $ registry summary $ registry export > all.bundle $ registry import all.bundle --dry-run
registry summary: counts of what you, or the persona you call as, can use
  > registry.showSummary $ registry summary $ registry summary --persona Atlas --json
registry export [names...]: hand-written tools, skills, tasks and jobs as one signed bundle on standard output
  [names...] only these
  --kind <kind> {list} tool, skill, task or job; repeatable
  > registry.exportBundle $ registry export > all.bundle $ registry export lookup > lookup.bundle
registry delete <kind> <name>: delete a skill, task or job that came with a bundle
  <kind> skill, task or job
  <name> its name; with --persona the one of that persona
  --reason <text> why, for the history
  > registry.deleteEntry $ registry delete job digest --reason 'not needed any more'
registry import <file>: import a bundle, all of it or nothing
  <file> a bundle, - for standard input
  --reason <text> why, for the history; required without --dry-run
  --dry-run only show what would change
  > registry.importBundle $ registry import all.bundle --dry-run $ registry import all.bundle --reason 'release 7'
search [query...]: find tools by words, name or pattern
  [query...] what the tool should do; select:NAME,NAME picks tools by name; without a query, tools by name
  --and <query> {list} search for this as well; repeatable
  --regex the query is a regular expression for names, descriptions and parameters
  --server <name> only tools of this server, or of servers that match a glob
  --limit <number> {count} maximum number of tools, up to 100
  --explain show how each score is made up
  > tools.searchTools $ search send an email $ search 'read a file' --server 'git*'
  $ search '^get_.*weather' --regex --json $ search 'take a screenshot' --and 'write a pdf' --explain
search eval <file>: measure search on your own catalogue, with meaning and with words alone
  <file> one query per line, {"query": …, "tools": […], "kind": …}; - for standard input
  > search-eval.evaluateSearch $ search eval queries.jsonl $ search eval queries.jsonl --json
search forget: forget what the search has learned from your use
  > search-eval.forgetSearches $ search forget
recommend <task...>: recommend servers and tools for a task
  <task...> the task, in a few sentences
  --limit <number> {count} maximum number of tools, up to 15
  > tools.recommendTools $ recommend 'take a screenshot of the shop and mail it to Ann'
activity: the last 100 calls of the running plane
  --follow print new calls as they happen, until Ctrl-C
  > call-history.showActivity $ activity $ activity --follow
stats: tokens that tool definitions take in a model's context, by server
  --server <name> only the tools of this server
  --tools {= false} list each tool, too, the most expensive first
  --limit <number> {limit} maximum number of tools, up to 1000; all when left out
  > quality.showStats $ stats $ stats --server demo --tools --limit 10 $ stats --json
pins: pinned tool definitions
  <name> the tool, in any spelling
  $ pins list --status changed $ pins diff notes.send $ pins accept notes.send
pins list: compare current definitions with the pinned ones
  --server <name> only the tools of this server
  --status <status> only this status: pinned, changed, new or rejected
  > quality.listPins $ pins list $ pins list --status changed --json
pins diff <name>: how the current definition differs from the pinned one
  > quality.diffPin $ pins diff demo.greet
pins accept <name>: pin the current definition
  --reason <text> the reason, for the record
  > quality.decidePin accept $ pins accept demo.greet --reason 'read the release notes'
pins reject <name>: quarantine the tool until its definition is the pinned one again, or accepted
  --reason <text> the reason, for the record
  > quality.decidePin reject $ pins reject demo.greet --reason 'read the release notes'
skills: instructions with the tools they need
  <name> its name
  [input...] key=text or key:=json
  $ skills list $ skills run report days:=3 --dry-run
skills list: the skills you can use
  --persona-filter <name> {list} of this persona, and shared ones; -shared excludes those; repeatable
  --capability <tag> {list} tagged with it or requiring it; repeatable, all must match
  --query <words> whose name, summary, category, tags or instructions contain these words
${page}
  > jobs.listSkills $ skills list $ skills list --capability research --json
skills show <name>: one skill: instructions, requirements, and which of them are missing
  > jobs.showSkill $ skills show research
skills run <name> [input...]: check that its requirements are met, then run it
  --args <json> the input as JSON, @file or - for standard input
  --yes agree to what the policy would ask about
  --dry-run show what would be done, or why it cannot be
  --model <name> the model that follows instructions without steps
  --conversation <id> the conversation to continue
  > jobs.runSkill $ skills run report city=Rome $ skills run report --dry-run
tasks: pieces of work, and when each counts as done
  <name> its name
  $ tasks list $ tasks list --persona Atlas --json
tasks list: the tasks you can use
${filters}
  > jobs.listTasks $ tasks list $ tasks list --query report --json
tasks show <name>: one task: its skills, what it needs and when it is done
  > jobs.showTask $ tasks show gather
jobs: scheduled workflows
  <name> its name
  <run> the id of the run
  [input...] key=text or key:=json
  $ jobs list $ jobs run digest $ jobs history digest --state failed
jobs list: the jobs you can use, and when they are due
${filters}
  > jobs.listJobs $ jobs list $ jobs list --persona Atlas --json
jobs run <name> [input...]: start it now and wait until it ends
  --detach do not wait until it ends; needs a serving plane
  --key <text> idempotency key
  --args <json> the input as JSON, @file or - for standard input
  > jobs.runJob $ jobs run digest $ jobs run digest city=Rome --detach
jobs rerun <run>: start another run with the input of one that ended
  --detach do not wait until it ends; needs a serving plane
  --key <text> idempotency key
  > jobs.rerunJob $ jobs rerun 0mwhyf64f-3lz9cvxd00w24d5n
jobs status <run>: one run: its tasks, their steps and outcomes
  > jobs.showRun $ jobs status 0mwhyf64f-3lz9cvxd00w24d5n
jobs cancel <run>: cancel a run, started or not
  > jobs.cancelRun $ jobs cancel 0mwhyf64f-3lz9cvxd00w24d5n
jobs show <name>: one job: its tasks, schedule and health
  > jobs.showJob $ jobs show digest
jobs pause <name>: stop starting it on its schedule
  > jobs.switchJob pause $ jobs pause digest
jobs resume <name>: start it on its schedule again; missed times are not made up for
  > jobs.switchJob resume $ jobs resume digest
jobs history <name>: its runs, newest first
  --state <state> only this state: scheduled, running, succeeded, failed or cancelled
  --limit <number> maximum number of runs, up to 100; 20 when left out
  --cursor <text> continue where an earlier page ended
  > jobs.listHistory $ jobs history digest $ jobs history digest --state failed --json
`;
