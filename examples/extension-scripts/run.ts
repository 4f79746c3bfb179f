import assert from "node:assert/strict";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPlane, resultText } from "../../src/index.ts";
import { until } from "../../test/fixtures/until.ts";
import { dataOf, tellStory } from "../story.ts";

const { chapter, promise } = tellStory("A directory of scripts as tools");
const home = mkdtempSync(join(tmpdir(), "toolplane-scripts-"));
const directory = join(home, "scripts");
cpSync(join(import.meta.dirname, "scripts"), directory, { recursive: true });
const at = (name: string) => join(directory, name);

function write(
  name: string,
  body: string,
  header = `# tool: ${name}\n# description: For this story.\n# side-effects: none\n`,
) {
  writeFileSync(at(name), `#!/bin/sh\n${header}${body}\n`);
  chmodSync(at(name), 0o755);
}
const parameter = (name: string, more = "") =>
  `# tool: ${name}\n# description: For this story.\n# side-effects: none\n# parameter: text string required A text.\n${more}`;

write("say", 'printf %s "$TOOL_TEXT"', parameter("say", "# parameter: count integer How often.\n"));
write("read_all", "cat", parameter("read_all"));
write("fails", "echo 'first line' >&2; echo 'the disk is full' >&2; exit 3");
write("sleeps", "echo $$ > pid; sleep 600 & wait");
write("floods", "yes");
write("shows", "env");
write("unnamed", "echo hi", "");
write("open_to_all", "echo hi");
chmodSync(at("open_to_all"), 0o777);
write("not_executable", "echo hi");
chmodSync(at("not_executable"), 0o644);
symlinkSync("/bin/ls", at("link"));
symlinkSync(at("say"), at("inner_link"));
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};

process.env.STORY_SECRET = "not for scripts";
const settings = { directory, timeoutSeconds: 1, maxOutputKiB: 64, watchMs: 20 };
try {
  await using plane = await createPlane({
    config: { extensions: [{ use: join(import.meta.dirname, "scripts.mjs"), with: settings }] },
  });
  const call = async (tool: string, args: object = {}) => {
    const { result, error } = await plane.call(tool, { ...args });
    assert.ok(result, error?.message);
    return { text: resultText(result), isError: result.isError === true };
  };
  const isThere = async (name: string) => (await plane.tools.get(name).catch(() => null)) !== null;

  chapter("Scripts are tools");
  await promise("in any language, with their parameters", async () => {
    assert.deepEqual(dataOf(await plane.call("word_count", { text: "one two three" })), {
      words: 3,
    });
    assert.match((await call("disk_usage", { path: "/" })).text, /Mounted on/);
    assert.equal((await plane.call("word_count", {})).error?.code, "INVALID_ARGUMENTS");
  });
  await promise("arguments are no words of a shell", async () => {
    const evil = `$(touch ${at("pwned")}); "'\`id\`' \\ \n--help`;
    assert.equal((await call("say", { text: evil })).text, evil);
    assert.deepEqual(JSON.parse((await call("read_all", { text: evil })).text), { text: evil });
    assert.ok(!existsSync(at("pwned")));
  });
  await promise("what a variable cannot hold is on standard input", async () => {
    for (const text of ["a\0b", "x".repeat(40_000)])
      assert.deepEqual(dataOf(await plane.call("read_all", { text })), { text });
  });
  await promise("a script gets no variables that were not named", async () => {
    assert.ok(!(await call("shows")).text.includes("not for scripts"));
  });

  chapter("Limits");
  await promise("another exit code is an error with the end of standard error", async () => {
    const { text, isError } = await call("fails");
    assert.deepEqual(
      { text, isError },
      { text: "it ended with exit code 3\nfirst line\nthe disk is full", isError: true },
    );
  });
  await promise("one that takes too long is ended, with what it has started", async () => {
    assert.deepEqual(await call("sleeps"), {
      text: "it took longer than 1 seconds",
      isError: true,
    });
    const pid = Number(readFileSync(at("pid"), "utf8"));
    await until("its end", () => !isRunning(pid));
  });
  await promise("one that writes too much is ended", async () => {
    assert.deepEqual(await call("floods"), { text: "it wrote more than 64 KiB", isError: true });
  });
  await promise("a call that is cancelled ends its script", async () => {
    rmSync(at("pid"));
    const ending = new AbortController();
    const waiting = plane.call("sleeps", {}, { signal: ending.signal });
    await until("its start", () => existsSync(at("pid")) && readFileSync(at("pid"), "utf8") !== "");
    ending.abort();
    assert.equal((await waiting).error?.code, "CANCELLED");
    await until("its end", () => !isRunning(Number(readFileSync(at("pid"), "utf8"))));
  });

  chapter("What is no tool");
  await promise("is said, with the reason", async () => {
    const listed = (await plane.extensions.run("scripts.list")) as {
      file: string;
      tool: string | null;
      why: string | null;
    }[];
    const why = Object.fromEntries(
      listed.filter(({ tool }) => tool === null).map(({ file, why }) => [file, why]),
    );
    assert.deepEqual(why, {
      inner_link: "it is a link, which may lead elsewhere",
      link: "it is a link, which may lead elsewhere",
      not_executable: "it is not executable",
      open_to_all: "everyone may write it",
      pid: "it is not executable",
      unnamed: "it has no line 'tool: NAME'",
    });
  });
  await promise("a script that has become a link since is not run", async () => {
    write("later", "echo hi");
    await until("the tool", () => isThere("later"));
    rmSync(at("later"));
    symlinkSync("/bin/ls", at("later"));
    const { error } = await plane.call("later", {});
    assert.ok(error, "it was run");
  });
  await promise("a tool that names a file elsewhere is not run", async () => {
    for (const [name, file] of [
      ["up", "../../../../bin/ls"],
      ["root", "/bin/ls"],
      ["none", "no-such-file"],
    ] as const) {
      await plane.tools.register({
        name,
        description: "For this story.",
        side_effects: "none",
        providers: [{ name: "script", config: { file } }],
      });
      assert.match((await plane.call(name, {})).error?.message ?? "", /is not run: it is/);
    }
  });

  chapter("Changes of the directory");
  await promise("are noticed", async () => {
    write("fresh", "echo hello");
    await until("the new tool", () => isThere("fresh"));
    assert.equal((await call("fresh")).text, "hello");
    rmSync(at("fresh"));
    await until("its end", async () => !(await isThere("fresh")));
  });
  await promise("a script that is wrong costs no other", async () => {
    write(
      "wrong",
      "echo hi",
      "# tool: wrong\n# description: For this story.\n# side-effects: magic\n",
    );
    write("right", "echo right");
    await until("the new tool", () => isThere("right"));
    assert.equal(await isThere("wrong"), false);
    assert.equal((await call("say", { text: "still there" })).text, "still there");
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}
