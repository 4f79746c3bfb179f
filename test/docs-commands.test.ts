import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import type { Cli } from "../src/faces/cli/cli.ts";
import { createProgram } from "../src/faces/cli/program.ts";
import { readShell } from "../src/lib/text/shell.ts";
import { blocksOf, type Document, documents, proseOf } from "./fixtures/documents.ts";

/** What the example of docs/extensions.md adds; its own test runs it. */
function addExample(program: Command): void {
  program.command("greetings").command("say").argument("[name]").option("--times <number>");
}

/** The whole command line, of which nothing is done. */
function idleProgram(): Command {
  const nothing = () => undefined;
  const program = createProgram({} as Cli, nothing, nothing, [], addExample);
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    command.configureOutput({ writeOut: nothing });
    if (command.commands.length === 0 || command.registeredArguments.length > 0)
      command.action(nothing);
  }
  return program;
}

type Said = { place: string; words: string[] };

const start = /^(?:\$ )?(?:.*\| )?(?:toolplane|npm run -s toolplane --) (.*)$/;

/** Lines of blocks for a shell that run a command of ours. */
function commandsOf(document: Document): Said[] {
  return blocksOf(document, "sh", "console", "text").flatMap(({ path, line, text }) =>
    text.split("\n").flatMap((command, at) => {
      const rest = start.exec(command)?.[1];
      return rest === undefined
        ? []
        : [{ place: `${path}:${line + 1 + at}`, words: wordsOf(rest) }];
    }),
  );
}

/** Commands in sentences, where what they take is often left to the reader. */
function mentionsOf(document: Document): Said[] {
  const mentions = proseOf(document).matchAll(/`toolplane ([a-z][^`]*)`/g);
  return [...mentions].map(({ 1: rest = "" }) => ({
    place: document.path,
    words: wordsOf(rest.replaceAll("\n", " ")),
  }));
}

function wordsOf(line: string): string[] {
  return (readShell(line)[0]?.words ?? []).map(({ text }) => text);
}

async function mistakeIn({ place, words }: Said): Promise<string | null> {
  try {
    await idleProgram().parseAsync(words, { from: "user" });
    return null;
  } catch (thrown) {
    return `${place} 'toolplane ${words.join(" ")}': ${(thrown as Error).message}`;
  }
}

for (const document of documents()) {
  const said = [...commandsOf(document), ...mentionsOf(document)];
  if (said.length === 0) continue;
  test(`the command line understands every command in ${document.path}`, async () => {
    const mistakes = await Promise.all(said.map(mistakeIn));
    assert.deepEqual(
      mistakes.filter((mistake) => mistake !== null && !/missing required argument/i.test(mistake)),
      [],
    );
  });
}
