import { page } from "./verbs.ts";

const filters = `  --persona-filter <name> {list} of this persona and shared; -shared leaves those out; repeatable
  --query <words> whose name, summary or description contain these words
${page}`;

/** Tools, and the work that is written by hand: see `verbs.ts` for the form. */
export const catalogueVerbs = `
tools: the catalogue
  $ tools list --server demo $ tools show demo.add $ tools export --format openai
tools list: every tool you may call, or those that are meant
  --server <name> only the tools of this server
  --persona-filter <name> {list} of this persona and shared; -shared leaves those out; repeatable
  --provider <name> {list} executed by this kind of provider; repeatable, all are needed
  --capability <tag> {list} with this capability; repeatable, all are needed
  --version-range <range> of these versions: ^1.2, '>=1.2, <2', 1.x
  --side-effects <kind> {list} with this side effect; repeatable, one is enough
  --safety-level <level> {list} low, medium or high; repeatable, one is enough
  --min-success-rate <share> that worked so often: 0.8, 80 or 80%
  --include-unused <flag> also tools without calls: true or false
  --tool-group <name> {list} of this group of tools; repeatable, * for all, default when left out
  --state <name> that are there in this state; * for any
  --query <words> whose name, description or capabilities contain these words
${page}
  --quality {= false} with the score of each definition and what is wrong with it
  > tools.listTools $ tools list --server demo $ tools list --capability web_search --min-success-rate 80%
  $ tools list --version-range '^1.2' --side-effects none --json
tools show <name>: one tool: arguments, metadata, providers, health
  <name> any spelling: server.tool, server_tool, mcp__server__tool, or the bare name if it is unique
  > tools.showTool $ tools show demo.greet
tools export: what you may call, as a model's API takes it; JSON on standard output
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
  --description <text> what it does; the server's words when left out
  --argument <name:type:text> {list} an argument, name?: for an optional one; repeatable
  --side-effects <kind> none, write, network, …
  --tool-group <name> {list} put it into this group of tools; repeatable
  --state <name> the state an agent is in after it
  --applicable-states <name> {list} only there in this state; repeatable
  --reason <text> why, for the history
  > registry.setTool $ tools set lookup.json --reason 'for the help desk'
  $ tools set weather --server demo --tool greet --argument 'name:string:Whom to greet: a first name'
  $ tools set - < lookup.json
tools delete <name>: delete a tool that was set; one of a file is there again
  <name> its name; with --persona that persona's
  --reason <text> why, for the history
  > registry.deleteTool $ tools delete lookup --reason 'not needed any more'
tools changes [name]: what changed in the catalogue, when, by whom and why; newest first
  [name] only of this tool
  --kind <kind> added, changed, removed or listed
  --limit <number> so many at most, up to 1000; 50
  --offset <number> leave out so many of the newest
  > registry.listChanges $ tools changes $ tools changes lookup --limit 5 $ tools changes --json
tools lint: how well definitions tell a model what tools are for, and what they hide, worst first; 1 when one does not pass
  --server <name> only the tools of this server
  --threshold <score> the score a tool needs to pass, 0 to 100; 40 when left out
  --require-examples {= false} a description without an example loses points
  --fail-on <severity> {= high} a tool with such a finding or a worse one does not pass: high, medium or low; none looks at the score alone
  > quality.lintTools $ tools lint $ tools lint --server demo --threshold 80 --json $ tools lint --fail-on medium
codegen <kind>: TypeScript for tools: types, a client with a method for each, or the command line of one server
  <kind> types, client or cli
  --server <name> only the tools of this server
  --toolset <name> only the tools of this toolset
  --out <directory> write the files there; else the text goes to standard output
  > codegen.generateCode $ codegen types > tools.ts $ codegen client --toolset small --out src/tools
  $ codegen cli --server demo --out bin
registry: the registry as a whole
  $ registry summary $ registry export > all.bundle $ registry import all.bundle --dry-run
registry summary: what it holds for you, or for the persona you call as, in short
  > registry.showSummary $ registry summary $ registry summary --persona Atlas --json
registry export [names...]: hand-written tools, skills, tasks and jobs as one signed bundle on standard output
  [names...] only these
  --kind <kind> {list} tool, skill, task or job; repeatable
  > registry.exportBundle $ registry export > all.bundle $ registry export lookup > lookup.bundle
registry delete <kind> <name>: take away a skill, task or job that a bundle brought
  <kind> skill, task or job
  <name> its name; with --persona the one of that persona
  --reason <text> why, for the history
  > registry.deleteEntry $ registry delete job digest --reason 'not needed any more'
registry import <file>: take over everything in a bundle, or nothing
  <file> a bundle, - for standard input
  --reason <text> why, for the history; needed unless --dry-run
  --dry-run only show what would change
  > registry.importBundle $ registry import all.bundle --dry-run $ registry import all.bundle --reason 'release 7'
search [query...]: the tools that fit best, by words, name or pattern
  [query...] what to do with what; select:NAME,NAME takes tools by name; without it the first by name
  --and <query> {list} look for this at the same time; repeatable
  --regex the query is a pattern, looked for in names, texts and parameters
  --server <name> only tools of this server, or of those that a glob fits
  --limit <number> {count} so many at most, up to 100
  --explain where the points of each come from
  > tools.searchTools $ search send an email $ search 'read a file' --server 'git*'
  $ search '^get_.*weather' --regex --json $ search 'take a screenshot' --and 'write a pdf' --explain
search eval <file>: how well your own catalogue is searched, with likeness and with words alone
  <file> one query a line, {"query": …, "tools": […], "kind": …}; - for standard input
  > search-eval.evaluateSearch $ search eval queries.jsonl $ search eval queries.jsonl --json
search forget: forget what the search has learned from your use
  > search-eval.forgetSearches $ search forget
recommend <task...>: the servers and tools that are worth having at hand for a task
  <task...> the task, in a few sentences
  --limit <number> {count} so many tools at most, up to 15
  > tools.recommendTools $ recommend 'take a screenshot of the shop and mail it to Ann'
activity: the last 100 calls of the plane that serves, in short
  --follow go on with what happens, until Ctrl-C
  > call-history.showActivity $ activity $ activity --follow
stats: what the definitions of tools cost in the context of a model, by server
  --server <name> only the tools of this server
  --tools {= false} each tool, too, the most expensive first
  --limit <number> {limit} of the tools only so many, up to 1000; all when left out
  > quality.showStats $ stats $ stats --server demo --tools --limit 10 $ stats --json
pins: pinned tool definitions
  <name> the tool, in any spelling
  $ pins list --status changed $ pins diff notes.send $ pins accept notes.send
pins list: compare current definitions with the pinned ones
  --server <name> only the tools of this server
  --status <status> only these: pinned, changed, new or rejected
  > quality.listPins $ pins list $ pins list --status changed --json
pins diff <name>: what is different from what was pinned
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
skills list: every skill that is there for you, or those that are meant
  --persona-filter <name> {list} of this persona and shared; -shared leaves those out; repeatable
  --capability <tag> {list} tagged with it or in need of it; repeatable, all are needed
  --query <words> whose name, summary, category, tags or instructions contain these words
${page}
  > jobs.listSkills $ skills list $ skills list --capability research --json
skills show <name>: one skill: instructions, what it needs, and what of that is missing
  > jobs.showSkill $ skills show research
skills run <name> [input...]: look whether everything is there, then do what it says
  --args <json> the input as JSON, @file or - for standard input
  --yes yes to what the policy would ask
  --dry-run say what would be done, or why it cannot be
  --model <name> the model that follows instructions without steps
  --conversation <id> a conversation that goes on
  > jobs.runSkill $ skills run report city=Rome $ skills run report --dry-run
tasks: pieces of work, and when each counts as done
  <name> its name
  $ tasks list $ tasks list --persona Atlas --json
tasks list: every task that is there for you, or for the personas that are meant
${filters}
  > jobs.listTasks $ tasks list $ tasks list --query report --json
tasks show <name>: one task: its skills, what it needs and when it is done
  > jobs.showTask $ tasks show gather
jobs: scheduled workflows
  <name> its name
  <run> the id of the run
  [input...] key=text or key:=json
  $ jobs list $ jobs run digest $ jobs history digest --state failed
jobs list: every job that is there for you, or for the personas that are meant, and when it is due
${filters}
  > jobs.listJobs $ jobs list $ jobs list --persona Atlas --json
jobs run <name> [input...]: begin it now, and wait until it is over
  --detach do not wait until it is over; needs a plane that serves
  --key <text> idempotency key
  --args <json> the input as JSON, @file or - for standard input
  > jobs.runJob $ jobs run digest $ jobs run digest city=Rome --detach
jobs rerun <run>: begin another run with the input of one that is over
  --detach do not wait until it is over; needs a plane that serves
  --key <text> idempotency key
  > jobs.rerunJob $ jobs rerun 0mwhyf64f-3lz9cvxd00w24d5n
jobs status <run>: one run: its tasks, their steps and how they went
  > jobs.showRun $ jobs status 0mwhyf64f-3lz9cvxd00w24d5n
jobs cancel <run>: end a run, or keep it from beginning
  > jobs.cancelRun $ jobs cancel 0mwhyf64f-3lz9cvxd00w24d5n
jobs show <name>: one job: its tasks, when it is due and how it does
  > jobs.showJob $ jobs show digest
jobs pause <name>: do not begin it by the clock any more
  > jobs.switchJob pause $ jobs pause digest
jobs resume <name>: begin it by the clock again; times that passed are not made up for
  > jobs.switchJob resume $ jobs resume digest
jobs history <name>: its runs, newest first
  --state <state> only those: scheduled, running, succeeded, failed or cancelled
  --limit <number> so many at most, up to 100; 20 when left out
  --cursor <text> go on where an earlier page ended
  > jobs.listHistory $ jobs history digest $ jobs history digest --state failed --json
`;
