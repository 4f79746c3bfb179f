import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { runCli as runCommand } from "../../src/faces/cli/program.ts";
import {
  type CallStatus,
  createPlane,
  type ErrorReport,
  type Outcome,
  type Plane,
} from "../../src/index.ts";
import { createCli } from "../../src/local-cli.ts";
import { openLocalPlane } from "../../src/local-plane.ts";
import { inMemory } from "../../src/testing/testing.ts";
import { commandLineFile } from "../fixtures/bundled.ts";
import { hangMs } from "../fixtures/patience.ts";
import { fixtureInMemory, runsInMemory } from "../fixtures/servers/in-memory.ts";
import {
  fixtureCommand,
  fixtureEnvironment,
  type LogEntry,
  readLog,
  receivedMessages,
} from "../fixtures/start-server.ts";
import { inSurroundings } from "../fixtures/surroundings.ts";
import { isWholeTier } from "../fixtures/tier.ts";
import { until } from "../fixtures/until.ts";

export type ServerEntry = Record<string, unknown>;

/** What a server without a process cannot have. */
const ofProcesses = ["command", "args", "env", "inheritEnv", "cwd", "container"];

/** A fixture as a server: within this process where it can be, and as a program of its own in the long tier. */
export function fixture(name: string, args: string[] = [], more: ServerEntry = {}): ServerEntry {
  if (isWholeTier || !runsInMemory(name, args) || ofProcesses.some((key) => key in more))
    return processFixture(name, args, more);
  return { ...inMemory(fixtureInMemory(name, args)), ...more };
}

/** A fixture as a program of its own, for tests that are about processes or whose plane is in another process. */
export function processFixture(
  name: string,
  args: string[] = [],
  more: ServerEntry = {},
): ServerEntry {
  const { NODE_COMPILE_CACHE } = fixtureEnvironment();
  return { ...fixtureCommand(name, args), env: { NODE_COMPILE_CACHE }, ...more };
}

/** A server whose tools are called what the test wants; each answers `server:tool`. */
export function namedServer(name: string, tools: readonly string[]): ServerEntry {
  const { NODE_COMPILE_CACHE } = fixtureEnvironment();
  const file = fileURLToPath(new URL("named-server.ts", import.meta.url));
  return { command: process.execPath, args: [file, name, ...tools], env: { NODE_COMPILE_CACHE } };
}

/** A server that never finishes its handshake. */
export function sleepyServer(args: string[] = []): ServerEntry {
  return processFixture("echo", ["--delay", "600000", "--ttl", "60", ...args], {
    connectTimeoutMs: 9_000,
  });
}

export function planeOf(
  servers: Record<string, ServerEntry>,
  options: Partial<Parameters<typeof createPlane>[0]> & { policy?: object } = {},
): Promise<Plane> {
  const { policy, ...rest } = options;
  return createPlane({ config: { mcpServers: servers, ...(policy ? { policy } : {}) }, ...rest });
}

export async function writeConfig(
  directory: { file(name: string): string },
  servers: Record<string, ServerEntry>,
  more: object = {},
): Promise<string> {
  const file = directory.file("toolplane.json");
  await writeFile(file, JSON.stringify({ mcpServers: servers, ...more }));
  return file;
}

/** What `--json` prints: an outcome, a listing, or an error alone. */
export type Printed = Partial<Outcome> & Record<string, unknown>;
export type CliResult = { code: number | null; stdout: string; stderr: string; json(): Printed };
export type CliOptions = {
  cwd?: string;
  env?: Record<string, string>;
  input?: string;
  /** A person types the command: its input is a terminal. */
  isTyped?: boolean;
  /** What is started instead of the command line. */
  file?: string;
};
export type RunningCli = { process: ChildProcess; result: Promise<CliResult> };

export function startCli(
  args: readonly string[],
  { cwd, env, input, file = commandLineFile }: CliOptions = {},
): RunningCli {
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...fixtureEnvironment(), ...env },
    ...(cwd === undefined ? {} : { cwd }),
    timeout: hangMs,
    killSignal: "SIGKILL",
  });
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const result = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({
      code,
      stdout,
      stderr,
      json: () => JSON.parse(stdout) as Printed,
    }),
  );
  return { process: child, result };
}

/** What only a process of its own can do: serve, start its own program, change its variables. */
const needsProcess = new Set(["serve", "mcp", "import", "clients", "init", "stop", "server"]);
/** Node reads these past `process.env`. */
const nativeVariables = ["HOME", "TMPDIR"];

/** Runs one command and waits for its end. It runs in this process where it can, which is far quicker. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  if (
    needsProcess.has(args[0] ?? "") ||
    args.includes("--env-file") ||
    nativeVariables.some((name) => options.env?.[name] !== undefined)
  )
    return startCli(args, options).result;
  const env = { ...fixtureEnvironment(), ...options.env };
  const directory = options.cwd ?? process.cwd();
  return inSurroundings({ env, directory }, () => runHere(args, options));
}

/** The consent of the person whose project this is, for tests whose commands find its files by themselves. */
export async function trustProject(options: CliOptions, ...words: string[]): Promise<void> {
  const { code, stdout, stderr } = await runCli(["trust", "--yes", ...words], options);
  assert.equal(code, 0, stdout + stderr);
}

async function runHere(
  args: readonly string[],
  { input = "", isTyped = false }: CliOptions,
): Promise<CliResult> {
  const stdin: PassThrough & { isTTY?: boolean } = new PassThrough();
  if (isTyped) stdin.isTTY = true;
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  stdin.end(input);
  const written = Promise.all([text(stdout), text(stderr)]);
  const cli = createCli([...args], {
    stdin,
    stdout,
    stderr,
    env: process.env,
    signals: process,
    directory: () => process.cwd(),
    exit: (code) => assert.fail(`the command line wants to exit with ${code}`),
  });
  const code = await runCommand(cli);
  stdout.end();
  stderr.end();
  const [out, err] = await written;
  return { code, stdout: out, stderr: err, json: () => JSON.parse(out) as Printed };
}

export type RunningServe = AsyncDisposable & {
  /** For what changes or approves something. */
  proof: Record<string, string>;
  url: string;
  /** The link for the person who started it. */
  workbench: string;
  stop(): Promise<void>;
};

/** What `toolplane serve` serves, in this process, on a free port or on this one: as real, and far quicker to start. */
/** The header that proves to be the person who started the plane; none where credentials are needed. */
function proofIn(link: string): Record<string, string> {
  const [, pass] = link.split("#pass=");
  return pass === undefined ? {} : { authorization: `Bearer ${pass}` };
}

export async function startServe(
  config: string,
  dataDirectory: string,
  port = 0,
): Promise<RunningServe> {
  const place = { files: [config], directory: process.cwd(), dataDirectory };
  const caller = { user: undefined, groups: [], persona: undefined };
  const serves = { watch: true, answersQuestions: true, relays: true, schedules: true };
  const plane = await openLocalPlane({ ...place, ...caller, ...serves });
  try {
    const serving = await createCli([]).serve(plane, {
      ...place,
      host: "127.0.0.1",
      port,
      allowHosts: [],
    });
    plane.start();
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= serving.close().then(() => plane[Symbol.asyncDispose]());
      return stopped;
    };
    const { url, workbench } = serving;
    return {
      url,
      workbench: workbench ?? "",
      proof: proofIn(workbench ?? ""),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await plane[Symbol.asyncDispose]();
    throw error;
  }
}

export type ServeProcess = AsyncDisposable &
  Pick<RunningServe, "url" | "workbench" | "proof"> & { process: ChildProcess; stop: StopServe };
/** Resolves with the exit code. */
type StopServe = (signal?: NodeJS.Signals) => Promise<number | null>;

/** `toolplane serve` in a process of its own, for what only a process can show: its signals, its end, its memory. */
export async function startServeProcess(
  config: string,
  dataDirectory: string,
  port = "0",
  more: readonly string[] = [],
  /** A command of the shell before it, such as `ulimit -n 64`. */
  limits = "",
): Promise<ServeProcess> {
  const words = [
    "serve",
    "--port",
    port,
    "--json",
    "--print-pass",
    "--config",
    config,
    "--data-dir",
    dataDirectory,
    ...more,
  ];
  const program = [process.execPath, commandLineFile, ...words];
  const [command = "", ...rest] =
    limits === "" ? program : ["sh", "-c", `${limits}; exec "$0" "$@"`, ...program];
  const child = spawn(command, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: fixtureEnvironment(),
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints += chunk;
  });
  const { url, workbench } = await new Promise<Pick<RunningServe, "url" | "workbench">>(
    (resolve, reject) => {
      let output = "";
      child.stdout.on("data", (chunk) => {
        output += chunk;
        const end = output.indexOf("\n");
        if (end < 0) return;
        const first = JSON.parse(output.slice(0, end)) as Pick<RunningServe, "url" | "workbench">;
        if (first.url === undefined) reject(new Error(`serve does not start: ${output}`));
        else resolve(first);
      });
      child.once("close", (code) => reject(new Error(`serve exited with ${code}: ${complaints}`)));
    },
  );
  const stop: StopServe = async (signal = "SIGTERM") => {
    child.kill(signal);
    const force = setTimeout(() => child.kill("SIGKILL"), hangMs);
    const code = await closed;
    clearTimeout(force);
    return code;
  };
  return {
    url,
    workbench,
    proof: proofIn(workbench),
    process: child,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** The error of an outcome that has to have one. */
export function errorOf(outcome: Partial<Outcome>): ErrorReport {
  assert.ok(outcome.error, `no error in ${JSON.stringify(outcome)}`);
  return outcome.error;
}

/** The text blocks of an outcome that has to have a result. */
export function textsOf(outcome: Partial<Outcome>): unknown[] {
  assert.ok(outcome.result, `no result in ${JSON.stringify(outcome)}`);
  return outcome.result.content.map((block) => block.text);
}

export function assertFailed(
  outcome: Partial<Outcome>,
  code: ErrorReport["code"],
  status: CallStatus,
): void {
  assert.equal(outcome.ok, false, JSON.stringify(outcome));
  assert.equal(outcome.error?.code, code, outcome.error?.message);
  assert.equal(outcome.call?.status, status);
}

/** The tool calls that really reached a fixture started with `--log`. */
export function callsAt(log: string): { name: unknown; arguments: unknown }[] {
  const calls = receivedMessages(readLog(log), "tools/call");
  return calls.map(({ params }) => ({ name: params?.name, arguments: params?.arguments }));
}

/** The processes that a fixture started with `--log` ran in. */
export function pidsIn(log: string): number[] {
  return [...new Set(readLog(log).map(({ pid }) => pid))];
}

/** Is there still such a process, or what is left of one until its parent has noticed its end? */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What has ended and only waits to be buried can be signalled, but does not run. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function untilLogged(log: string, what: (entry: LogEntry) => boolean): Promise<void> {
  await until(`an entry in ${log}`, () => readLog(log).some(what));
}

/** Fails by name instead of hanging. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  await until(what, () => isSettled);
  return promise;
}
