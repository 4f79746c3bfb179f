import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import type { Cli } from "./cli.ts";
import { createProgram } from "./program.ts";

const noop = () => undefined;
const program = createProgram({} as Cli, noop, noop);
const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];

function printed(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

async function mistake(...words: string[]): Promise<string> {
  try {
    await createProgram({} as Cli, noop, noop).parseAsync(words, { from: "user" });
  } catch (thrown) {
    return (thrown as Error).message;
  }
  assert.fail("it was taken for a command");
}

test("every verb stands under a heading, and what one begins with stands first", () => {
  const headings = [...printed(program).matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading);
  assert.equal(headings.indexOf("Get started"), 1, "after the options");
  assert.ok(!headings.includes("Commands"), "a verb that has no heading: put it into program.ts");
});

test("the help of every verb ends with examples", () => {
  const without = all(program).filter(
    (command) => !printed(command).includes("Examples:\n  $ toolplane "),
  );
  assert.deepEqual(
    without.map((command) => command.name()),
    [],
  );
});

test("a mistake names the help of the verb it was made in", async () => {
  assert.match(await mistake("call"), /'tool'.* See 'toolplane call --help'\.$/);
  assert.match(
    await mistake("tools", "lst"),
    /'lst' \(Did you mean list\?\)\. See 'toolplane tools --help'\.$/,
  );
  assert.match(await mistake("tools", "list", "--nope"), /See 'toolplane tools list --help'\.$/);
  assert.match(await mistake("list"), /Did you mean servers list\?.* See 'toolplane --help'\.$/);
  assert.match(await mistake("start"), /Did you mean serve\?/);
  assert.match(await mistake("servers", "start"), /Did you mean connect\?/);
  assert.match(await mistake("tols"), /Did you mean tools\?.* See 'toolplane --help'\.$/);
});

test("help takes several words, and says which of them it does not know", async () => {
  assert.match(
    await mistake("help", "xyzzy"),
    /^Unknown command 'xyzzy'\. See 'toolplane --help'\.$/,
  );
  assert.match(
    await mistake("help", "tools", "lst"),
    /'lst' \(Did you mean list\?\)\. See 'toolplane tools --help'/,
  );
});

test("a command builds its own verb only; what may need another one builds all", () => {
  const verbsFor = (...argv: string[]) =>
    createProgram({} as Cli, noop, noop, argv)
      .commands.map((verb) => verb.name())
      .filter((name) => name !== "help");
  const every = verbsFor();
  assert.deepEqual(verbsFor("call", "demo.greet"), ["call"]);
  assert.deepEqual(verbsFor("--json", "--config", "call", "--user=ann", "tools", "list"), [
    "tools",
  ]);
  for (const argv of [
    ["help", "call"],
    ["--help"],
    ["--nope", "call"],
    ["cal"],
    ["__complete", "call"],
    ["-V"],
  ])
    assert.deepEqual(verbsFor(...argv), every, argv.join(" "));
});
