import { agentStyles } from "../model/agent/agent-run.ts";

/** Of commands that show a list in pages. */
export const pageOptions = {
  "--limit <number>": "maximum number of entries, 1 to 1000",
  "--cursor <cursor>": "continue where an earlier page ended",
} as const;

/** Of lists whose entries may belong to a persona. */
export const ofPersonaOptions = {
  "--persona-filter <name>": {
    about: "of this persona, and shared ones; -shared excludes those; repeatable",
    kind: "list",
  },
} as const;

/** Of commands that call tools. */
export const recordingOptions = {
  "--record <file>":
    "append every call to this file, with arguments and result; secrets are masked",
  "--replay <file>": "answer calls from such a recording; start no servers",
  "--replay-miss <what>": {
    about: "if the recording lacks a call: fail (the default), or make the call",
    choices: ["fail", "live"],
  },
} as const;

/** Of commands that ask a model. */
export const modelOptions = {
  "--model <name>": "the configured model to use; by default 'default', or the only one",
  "--toolset <alias>": "the toolset it gets; every tool when left out",
  "--style <style>": { about: "how it asks for tools", choices: agentStyles },
  "--context <text>": "who it is and what it should know; @FILE for the content of a file",
  "--tool-group <name>": {
    about: "a tool group to use; repeatable, * for all",
    input: "toolGroups",
    kind: "list",
  },
  "--state <name>": "the state it starts in",
  "--max-turns <number>": { about: "maximum tool-call turns", kind: "count" },
  "--max-calls <number>": { about: "maximum number of calls", kind: "count" },
  "--max-tokens <number>": { about: "maximum tokens, input and output together", kind: "count" },
  "--max-seconds <seconds>": { about: "time limit of the run; 0 for no limit", kind: "seconds" },
} as const;

/** Of commands that work through a file. */
export const batchOptions = {
  "--parallel <number>": { about: "concurrency", kind: "parallel", default: "8" },
  "--out <file>": "write results there, one per line, instead of to standard output",
  "--resume": "continue a run with this --out that was interrupted",
  "--retry-failed": "the same, and retry what failed",
  "--force": "overwrite results in --out",
} as const;
