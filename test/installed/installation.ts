import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { packForTests } from "../../scripts/pack-for-tests.ts";
import { packed } from "../fixtures/bundled.ts";
import { scaledMs } from "../fixtures/patience.ts";
import { fixtureEnvironment, stopProcess, temporaryDirectory } from "../fixtures/start-server.ts";

const runFile = promisify(execFile);
/** Far above what any command takes; what reaches it hangs. */
export const hangMs = 120_000;

export type Installation = Awaited<ReturnType<typeof installPackage>>;
export type Person = ReturnType<Installation["personWith"]>;
type Served = { url: string; workbench: string };

/** The product as it reaches a person: packed, and installed by npm into an empty directory outside of the checkout. */
export async function installPackage() {
  const directory = await temporaryDirectory();
  const project = directory.file("project");
  const modules = join(project, "node_modules");
  const archive = join(packed ?? (await packForTests()), "toolplane.tgz");
  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  // Without its native part, which only a keychain needs.
  await npm(project, ["install", "--omit=optional", archive]);
  return {
    project,
    modules,
    package: join(modules, "toolplane"),
    uninstall: () => npm(project, ["uninstall", "toolplane"]),
    personWith: (node: string, home: string) => personWith(node, directory.file(home), project),
    /** Another Node, as the directory of its program. */
    async installNode(version: string): Promise<string> {
      const elsewhere = directory.file(`node-${version}`);
      const part = `node-${process.platform}-${process.arch}@${version}`;
      await mkdir(elsewhere);
      await npm(elsewhere, ["install", part]).catch((thrown) => {
        throw new Error(`Node ${version} could not be fetched to test with it: ${String(thrown)}`);
      });
      return join(elsewhere, "node_modules", ".bin");
    },
    [Symbol.asyncDispose]: directory[Symbol.asyncDispose],
  };
}

async function npm(cwd: string, words: readonly string[]): Promise<void> {
  const quietly = ["--silent", "--no-audit", "--no-fund", "--prefer-offline"];
  await runFile("npm", [...words, ...quietly], { cwd }).catch((failed) => {
    throw new Error(`'npm ${words.join(" ")}' failed: ${failed.stderr}${failed.stdout}`);
  });
}

/** A person with this Node and an empty home, who has nothing of the checkout at hand. */
function personWith(node: string, home: string, project: string) {
  const { XDG_CONFIG_HOME: _, XDG_DATA_HOME: __, ...inherited } = fixtureEnvironment();
  const PATH = [node, join(project, "node_modules", ".bin"), ...systemPath()].join(delimiter);
  const env = { ...inherited, HOME: home, USERPROFILE: home, PATH };
  const options = { cwd: project, env };
  const run = async (program: string, words: readonly string[]): Promise<string> => {
    const { stdout } = await runFile(program, words, {
      ...options,
      timeout: scaledMs(hangMs),
    }).catch((failed) => {
      throw new Error(`'${program} ${words.join(" ")}' failed: ${failed.stderr}${failed.stdout}`);
    });
    return stdout;
  };
  return {
    home,
    env,
    project,
    toolplane: (...words: string[]) => run("toolplane", words),
    node: (...words: string[]) => run("node", words),
    /** `toolplane serve`, until it is disposed of. */
    async serve() {
      const words = ["serve", "--port", "0", "--json", "--print-pass"];
      const child = spawn("toolplane", words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
      let complaints = "";
      child.stderr.on("data", (chunk) => {
        complaints += chunk;
      });
      for await (const line of createInterface(child.stdout)) {
        const { url, workbench } = JSON.parse(line) as Served;
        return { url, workbench, [Symbol.asyncDispose]: () => stopProcess(child) };
      }
      return assert.fail(`serve ended before it said where it serves: ${complaints}`);
    },
  };
}

/** Where a shell and its tools are, and no Node of the project. */
function systemPath(): string[] {
  const checkout = join(import.meta.dirname, "..", "..");
  return (process.env.PATH ?? "")
    .split(delimiter)
    .filter((directory) => !directory.startsWith(checkout));
}

export const ownNode = dirname(process.execPath);
