import assert from "node:assert/strict";
import { test } from "node:test";
import { commandBodies } from "../src/faces/cli/bodies.ts";
import type { Cli } from "../src/faces/cli/cli.ts";
import { operationCommands } from "../src/faces/cli/command-table.ts";
import { ownCommands } from "../src/faces/cli/own-commands.ts";
import { createProgram } from "../src/faces/cli/program.ts";
import type { CommandNode } from "../src/faces/cli/verb.ts";
import { toolFormats } from "../src/model/catalogue/tool-formats.ts";
import { fixedInputs } from "../src/operations/fields.ts";
import { isMissing } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";

const nothing = () => undefined;
const program = createProgram({} as Cli, nothing, nothing);

function verbOf(command: string): CommandNode | undefined {
  return command
    .split(" ")
    .reduce<CommandNode | undefined>(
      (verb, word) => verb?.commands.find((inner) => inner.name() === word),
      program,
    );
}

test("every command runs a function that exists, and every function belongs to a command", async () => {
  const declared = [...ownCommands, ...operationCommands].map(({ command }) => command);
  assert.deepEqual(declared.toSorted(), [...new Set(declared)].toSorted(), "declared twice");
  for (const [command, load] of Object.entries(commandBodies)) {
    assert.ok(declared.includes(command), command);
    assert.equal(typeof (await load()), "function", command);
  }
  // The others are run by their operation.
  for (const { command } of ownCommands) assert.ok(command in commandBodies, command);
});

test("the help of 'tools export' names every format", () => {
  const command = ownCommands.find((own) => own.command === "tools export");
  const help = JSON.stringify(command?.options?.["--format <name>"]);
  assert.ok(help.includes(`${Object.keys(toolFormats).join(", ")}, or code`), help);
});

/** What a command leaves out, or takes in a way of its own. */
const otherwise = [
  // By '--group', as all commands name groups.
  "agent.run: groups",
  "keys.create: groups",
  "people.invite: groups",
  "search: q",
  "stats: tool",
  "tools.quality: tool",
  "pins.list: held",
  "approvals.answer: decision",
  "plans.reject: first",
  "skills.run: approvalWaitMs",
  "jobs.status: id",
  "jobs.cancel: id",
  "jobs.rerun: id",
  "prompts.get: prompt",
  "prompts.get: arguments",
  "resources.read: name",
  // For pages of MCP Apps, which are shown in a browser.
  "resources.read: page",
  "resources.read: conversation",
  "call: page",
  "tokens.set: expiresAt",
  "tokens.set: scopes",
  "trust.approve: hashes",
  // As '--timeout', '--plan', '--wait', a positional word or a file.
  "call: timeoutMs",
  "call: mode",
  "call: approvalWaitMs",
  "call: files",
  "call: name",
  "agent.run: mode",
  "code.run: timeoutMs",
  "code.run: mode",
  "code.run: consent",
  "code.run: source",
  "agent.run: approvalWaitMs",
  "conversations.budget: conversation",
  "conversations.end: conversation",
  "plans.check: text",
  "registry.export: name",
  "registry.import: bundle",
  "servers.import: clients",
  "servers.ping: server",
  "servers.set: definition",
  // As '--header', '--user' or '--project', '--set' and '--yes'.
  "servers.add: headers",
  "servers.add: scope",
  "servers.add: values",
  "servers.update: apply",
  "calls.payloads: ids",
  "policy.preview: rules",
  "policy.save: rules",
  "servers.entry: name",
  "servers.save: dryRun",
  "servers.save: entry",
  "servers.save: from",
  // For lists on a screen.
  "tools.page: max_quality",
  "tools.page: sort",
  "tools.set: manifest",
  "tools.set: name",
  "runs.render: format",
  "runs.running: id",
  // For programs.
  "code.run: approvalWaitMs",
  "evaluateSearch: cases",
  "agent.run: budgets",
  "agent.run: detached",
  "agent.run: mcp",
  "call: idempotencyKey",
  "call: maxResultBytes",
  "call: mcp",
  "search: details",
  "search: view",
  "tools.page: best",
  "tools.page: include_provider_health",
  "tools.page: view",
];

test("a command takes what its operation takes", () => {
  const missing = operations.flatMap(({ name, input, cli }) => {
    const verb = isMissing(cli) ? undefined : verbOf(cli.command);
    if (verb === undefined) return [];
    const form = "about" in cli ? cli : undefined;
    const filled = Object.values(form?.options ?? {}).map((option) =>
      typeof option === "string" ? undefined : option.input,
    );
    const given = new Set([
      ...filled,
      ...[...verb.options, ...program.options].map((option) => option.attributeName()),
      ...verb.registeredArguments.map((argument) => argument.name()),
    ]);
    // Short lists are printed whole.
    const pages = given.has("limit") ? [] : ["limit", "cursor"];
    return Object.keys(input.shape)
      .filter((key) => !pages.includes(key) && !Object.hasOwn(fixedInputs(input), key))
      .filter((key) => !given.has(key) && !given.has(camelCase(key)))
      .map((key) => `${name}: ${key}`);
  });
  assert.deepEqual(missing.toSorted(), otherwise.toSorted());
});

function camelCase(key: string): string {
  return key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
