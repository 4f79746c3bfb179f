import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { sampleServer } from "@toolplane/test/samples/calls";
import { checkCommand, checkDirectory } from "./check-command.ts";

const commands: [title: string, command: string, detail: RegExp, fix: RegExp][] = [
  [
    "a mistyped launcher",
    "nppx",
    /'nppx' was not found in the 1 directories of PATH/,
    /Change 'command' to 'npx'/,
  ],
  ["a mistyped program", "notes-servr", /was not found/, /Change 'command' to 'notes-server'/],
  ["a launcher that is not installed", "uvx", /not found/, /^Install uv /],
  ["Docker that is not installed", "docker", /not found/, /^Install Docker /],
  ["a program under its other name", "python", /not found/, /Change 'command' to 'python3'/],
  [
    "an unknown program",
    "zzzzzzzz",
    /not found/,
    /^Install 'zzzzzzzz', or set 'command' to its full path/,
  ],
  [
    "a whole command line",
    "npx -y notes-server",
    /not found/,
    /Set 'command' to 'npx' .* \["-y","notes-server"\]/,
  ],
  [
    "a path with a home that no shell fills in",
    "~/bin/notes",
    /not found/,
    /^Write the full path in 'command': \/.*bin\/notes/,
  ],
  [
    "a path to nothing",
    "./bin/notes-servr",
    /not found in /,
    /Change 'command' to what is there: .*bin\/notes-server\./,
  ],
  ["a directory", "./bin", /bin is a directory/, /^Change 'command' to a program inside/],
  ["a directory of that name in PATH", "folder", /folder is a directory/, /^Change 'command'/],
  [
    "a file that is not executable",
    "./plain.sh",
    /plain\.sh is not executable/,
    /^Make it executable: chmod \+x \/.*plain\.sh$/,
  ],
  [
    "a script that is not executable",
    "./server.py",
    /not executable/,
    /Set 'command' to 'python3' and put '.*server\.py' first in 'args'/,
  ],
];

for (const [title, command, detail, fix] of commands) {
  test(`${title} as command is reported with the first thing to try`, async () => {
    await using directory = await project();
    const definition = sampleServer({ command, cwd: directory.path });
    const check = checkCommand(definition, { PATH: directory.file("bin") });
    assert.equal(check.ok, false);
    assert.match(check.detail, detail);
    assert.match(check.fix ?? "", fix);
  });
}

test("a command is looked for as the system does it: past what cannot be run, and inside the working directory", async () => {
  await using directory = await project();
  const inPath = [directory.file("shadow"), directory.file("bin")].join(":");
  for (const command of ["npx", "./bin/npx", directory.file("bin/npx")]) {
    const check = checkCommand(sampleServer({ command, cwd: directory.path }), { PATH: inPath });
    assert.deepEqual([check.ok, check.fix], [true, null], check.detail);
  }
});

test("a directory that is not there is reported with what is there instead", async () => {
  await using directory = await project();
  assert.equal(checkDirectory(directory.path).ok, true);
  const near = checkDirectory(directory.file("bni"));
  assert.match(near.detail, /^There is no directory .*bni\.$/);
  assert.match(near.fix ?? "", /^Change 'cwd' to what is there: .*\/bin\.$/);
  assert.match(checkDirectory("/no/such/place").fix ?? "", /mkdir -p '\/no\/such\/place'/);
  const file = checkDirectory(directory.file("plain.sh"));
  assert.match(file.detail, /is a file, not a directory/);
  assert.match(file.fix ?? "", /^Change 'cwd' to a directory/);
});

/** A directory with a `bin` of its own, in which little is installed. */
async function project(): Promise<TemporaryDirectory> {
  const directory = await temporaryDirectory();
  for (const name of ["bin/folder", "shadow/npx"])
    mkdirSync(directory.file(name), { recursive: true });
  for (const name of ["npx", "notes-server", "python3"]) {
    writeFileSync(directory.file(`bin/${name}`), "#!/bin/sh\n");
    chmodSync(directory.file(`bin/${name}`), 0o755);
  }
  for (const name of ["plain.sh", "server.py"]) writeFileSync(directory.file(name), "");
  return directory;
}
