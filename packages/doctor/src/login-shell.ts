import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { homeDirectory } from "@toolplane/core/lib/files";
import { compileGlob } from "@toolplane/core/lib/text/glob";
import type { DoctorCheck } from "@toolplane/core/model/config/doctor-schema";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import { childEnvironment, inheritedVariables, installerOf } from "@toolplane/core/servers";
import { findCommand, isPath, searchPath } from "./check-command.ts";
import { failed } from "./check-configuration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const limitMs = 5_000;
const maxOutputCharacters = 1_000_000;

/** Null where it cannot be asked in time. */
export async function readLoginShell(plane: Environment): Promise<Environment | null> {
  const shell = plane.SHELL ?? shellOfUser();
  if (process.platform === "win32" || !shell) return null;
  const mark = `environment-${randomUUID()}`;
  // Only the user's own files speak, not the plane's environment.
  const userVariables = ["HOME", "USER", "LOGNAME", "LANG", "TMPDIR"].map((name) => [
    name,
    plane[name],
  ]);
  const env = {
    ...Object.fromEntries(userVariables),
    SHELL: shell,
    TERM: "dumb",
    PATH: "/usr/local/bin:/usr/bin:/bin",
  };
  const output = await outputOf(
    shell,
    ["-lic", `printf '%s' ${mark}; env -0 2>/dev/null || env`],
    env,
  );
  const [, environmentText] = output.split(mark);
  if (environmentText === undefined) return null;
  return parseEnvironment(environmentText);
}

/** Between NULs where the system can write them so. */
export function parseEnvironment(text: string): Record<string, string> {
  const entries = text
    .split(text.includes("\0") ? "\0" : "\n")
    .map((entry) => /^(\w+)=(.*)$/s.exec(entry));
  return Object.fromEntries(entries.flatMap((entry) => (entry ? [[entry[1], entry[2]]] : [])));
}

function shellOfUser(): string | null {
  try {
    return userInfo().shell;
  } catch {
    return null;
  }
}

/** In a session of its own: an interactive shell has no terminal to wait for, and ends whole. */
function outputOf(shell: string, shellArguments: string[], env: Environment): Promise<string> {
  return new Promise((resolve) => {
    let output = "";
    // Where a person logs in, and not where a stranger's files are.
    const cwd = homeDirectory() ?? "/";
    const child = spawn(shell, shellArguments, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const end = () => {
      clearTimeout(timer);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {}
      child.stdout.destroy();
      resolve(output);
    };
    const timer = setTimeout(end, limitMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > maxOutputCharacters) end();
    });
    child.on("error", end).on("exit", () => setImmediate(end));
  });
}

export type Comparison = {
  name: string;
  definition: ServerDefinition;
  plane: Environment;
  login: Environment;
  serverWords: string;
};

type Difference = { detail: string; fix: string };

/** What a server lacks that starts by hand; null when nothing differs. Shows no value. */
export function compareWithShell(comparison: Comparison): DoctorCheck | null {
  const differences = [...pathDifferences(comparison), ...variableDifferences(comparison)];
  const [first] = differences;
  if (first === undefined) return null;
  return failed("login shell", differences.map(({ detail }) => detail).join(" "), first.fix);
}

function environmentOf({ definition: { env, inheritEnv }, plane }: Comparison): Environment {
  return childEnvironment({ parent: plane, env, inheritEnv });
}

/** Is the program another one in a shell, or only there? */
function pathDifferences(comparison: Comparison): Difference[] {
  const { definition, login } = comparison;
  const { command = "", cwd = "." } = definition;
  if (isPath(command) || login.PATH === undefined) return [];
  const serverPath = environmentOf(comparison).PATH;
  const serverCommand = findCommand(command, cwd, serverPath).executable;
  const shellCommand = findCommand(command, cwd, login.PATH).executable;
  if (shellCommand === null || shellCommand === serverCommand) return [];
  const missingDirectories = searchPath(login.PATH, cwd).filter(
    (entry) => !searchPath(serverPath, cwd).includes(entry),
  );
  const whereText =
    serverCommand === null ? "is not found for this server" : `is ${serverCommand} for this server`;
  const orderText =
    missingDirectories.length === 0
      ? "PATH there has another order"
      : `PATH there also has ${missingDirectories.join(", ")}`;
  const detail = `'${command}' is ${shellCommand} in your login shell and ${whereText}; ${orderText}.`;
  return [
    { detail, fix: `Set 'command' to ${shellCommand}, or start toolplane from a login shell.` },
  ];
}

function variableDifferences(comparison: Comparison): Difference[] {
  const { definition, plane, login } = comparison;
  const server = environmentOf(comparison);
  const names = [...new Set([...Object.keys(login), ...Object.keys(plane)])].filter((name) =>
    /^\w+$/.test(name),
  );
  return names.sort().flatMap((name) => {
    if (name === "PATH" || !(login[name] ?? plane[name]) || !matters(name, comparison)) return [];
    const restartFix = `Start toolplane from a login shell, or set ${name} in 'env'.`;
    if (server[name] === undefined) {
      const placeText = login[name] === undefined ? "where toolplane runs" : "in your login shell";
      const fix =
        plane[name] === undefined ? restartFix : `Add ${name} to 'inheritEnv' of the server.`;
      return { detail: `${name} is set ${placeText} but not for this server.`, fix };
    }
    if (login[name] === undefined || login[name] === server[name]) return [];
    const fix = Object.hasOwn(definition.env, name)
      ? `Correct ${name} in 'env', or remove it there.`
      : restartFix;
    return { detail: `${name} has another value in your login shell than for this server.`, fix };
  });
}

const shellVariables =
  /^(?:_|PWD|OLDPWD|SHLVL|SHELL|TERM|HOME|USER|LOGNAME|PS\d|LANG|TMPDIR|LS_COLORS|HIST\w*)$/;
const shortestWord = 4;

function matters(
  name: string,
  { name: server, definition, login, serverWords }: Comparison,
): boolean {
  if (shellVariables.test(name)) return false;
  if (
    new RegExp(`\\b${name}\\b`).test(serverWords) ||
    sharesWord(name, [server, ...definition.args])
  )
    return true;
  // What only the plane has may be meant for it.
  if (login[name] === undefined) return false;
  const installer = installerOf(definition);
  const groups = ["proxy", "certificates"];
  if (installer !== null) groups.push("packages", "containers");
  return inheritedVariables
    .filter(({ group }) => groups.includes(group))
    .some(({ variables }) => variables.some((pattern) => compileGlob(pattern)(name)));
}

/** GITHUB_TOKEN belongs to `@modelcontextprotocol/server-github`. */
function sharesWord(name: string, texts: readonly string[]): boolean {
  const lowerCaseWords = new Set(texts.flatMap((text) => text.toLowerCase().split(/[^a-z0-9]+/)));
  const nameParts = name.toLowerCase().split("_");
  return nameParts.some(
    (part) => part.length >= shortestWord && lowerCaseWords.has(part) && !commonWords.has(part),
  );
}

const commonWords = new Set([
  "server",
  "model",
  "context",
  "protocol",
  "home",
  "path",
  "config",
  "node",
  "data",
]);
