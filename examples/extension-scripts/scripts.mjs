import { spawn } from "node:child_process";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";

/**
 * A directory of scripts as tools. Each executable file says in comments at its beginning what it is:
 *
 *     #!/bin/sh
 *     # tool: disk_usage
 *     # description: Says how full a disk is.
 *     # side-effects: none
 *     # parameter: path string required Where to look.
 * @typedef {{ directory?: string, timeoutSeconds?: number, maxOutputKiB?: number, variables?: string[], watchMs?: number }} Settings
 * @typedef {{ name: string, description: string, side_effects: string, parameters: { type: "object",
 *   properties: Record<string, { type: string, description?: string }>, required: string[], additionalProperties: false } }} Header
 */

const headerBytes = 4 * 1024;
const maxFiles = 500;
const maxVariableLength = 32 * 1024;
const errorTail = 2_000;
const types = ["string", "number", "integer", "boolean", "array", "object"];

/** @type {import("toolplane").Extension["settings"]} */
const settingsSchema = {
  type: "object",
  properties: {
    directory: { type: "string", minLength: 1, default: "scripts" },
    timeoutSeconds: { type: "number", exclusiveMinimum: 0, default: 30 },
    maxOutputKiB: { type: "number", exclusiveMinimum: 0, default: 256 },
    variables: {
      type: "array",
      items: { type: "string" },
      description: "That scripts get beside PATH, HOME and LANG.",
    },
    watchMs: { type: "integer", minimum: 10, default: 1_000 },
  },
  additionalProperties: false,
};

/** @type {import("toolplane").Extension} */
export default {
  name: "scripts",
  about: "A directory of scripts as tools.",
  settings: settingsSchema,
  providers: ["script"],
  setup({ settings, directory, addProvider, addToolSource, addOperation }) {
    let current = /** @type {Settings} */ (settings);
    const place = () => resolve(directory, current.directory ?? "scripts");
    addProvider("script", (spec, args, { signal }) =>
      runScript(place(), String(spec.config.file), args, current, signal),
    );
    /** What the plane was told last. */
    let listed = "";
    const source = addToolSource({
      list: async () => {
        const files = await readScripts(place());
        listed = JSON.stringify(files);
        return files.flatMap(({ file, header }) =>
          header === null ? [] : [{ ...header, providers: [{ name: "script", config: { file } }] }],
        );
      },
    });
    addOperation({
      name: "scripts.list",
      summary: "The files of the directory, and why one is no tool",
      scope: "read",
      columns: { file: "FILE", tool: "TOOL", why: "WHY NOT" },
      run: async () => {
        const files = await readScripts(place());
        return files.map(({ file, header, why }) => ({ file, tool: header?.name ?? null, why }));
      },
    });
    // Looking again and again is slower than being told, and survives that the directory is replaced.
    const look = async () => {
      const now = JSON.stringify(await readScripts(place()).catch(() => null));
      if (now === listed) return;
      await source.changed();
      // That the directory is gone is said once.
      if (now === "null") listed = now;
    };
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    const watch = () => {
      timer = setTimeout(
        () => void look().finally(() => timer && watch()),
        current.watchMs ?? 1_000,
      ).unref();
    };
    watch();
    return {
      async reload(next) {
        current = /** @type {Settings} */ (next);
        await source.changed();
      },
      stop() {
        clearTimeout(timer);
        timer = undefined;
      },
    };
  },
};

/** @param {string} directory */
async function readScripts(directory) {
  const names = (await readdir(directory)).filter((name) => !name.startsWith(".")).sort();
  return Promise.all(names.slice(0, maxFiles).map((file) => readScript(directory, file)));
}

/** @param {string} directory @param {string} file @returns {Promise<{ file: string, header: Header | null, why: string | null }>} */
async function readScript(directory, file) {
  const no = (/** @type {string} */ why) => ({ file, header: null, why });
  try {
    const why = await whyNot(directory, file);
    if (why !== null) return no(why);
    const handle = await open(join(directory, file));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
      const header = parseHeader(buffer.toString("utf8", 0, bytesRead));
      return typeof header === "string" ? no(header) : { file, header, why: null };
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    return no(`it cannot be read: ${/** @type {NodeJS.ErrnoException} */ (thrown).code}`);
  }
}

/** Asked before it is shown and again before it is run. @param {string} directory @param {string} file */
async function whyNot(directory, file) {
  if (file.includes("/") || file.includes("\\") || file === "" || file === "..")
    return "it is not in the directory";
  const path = join(directory, file);
  const found = await lstat(path);
  if (found.isSymbolicLink()) return "it is a link, which may lead elsewhere";
  if (!found.isFile()) return "it is no file";
  if ((await realpath(path)) !== join(await realpath(directory), file))
    return "it is not in the directory";
  if ((found.mode & 0o111) === 0) return "it is not executable";
  if ((found.mode & 0o002) !== 0) return "everyone may write it";
  return null;
}

/** @param {string} begin @returns {Header | string} */
function parseHeader(begin) {
  /** @type {Record<string, string>} */
  const said = {};
  /** @type {Header["parameters"]} */
  const parameters = { type: "object", properties: {}, required: [], additionalProperties: false };
  for (const line of begin.split("\n")) {
    const [, key = "", value = ""] = /^\s*(?:#|\/\/|--)\s*([a-z-]+):\s*(.+?)\s*$/.exec(line) ?? [];
    if (key !== "parameter") {
      said[key] ??= value;
      continue;
    }
    const [, name = "", type = "", isRequired, description] =
      /^([a-z][a-z0-9_]{0,40}) ([a-z]+)( required)?(?: (.+))?$/.exec(value) ?? [];
    if (!types.includes(type))
      return `'parameter: ${value}' is not 'NAME TYPE [required] DESCRIPTION'`;
    parameters.properties[name] = { type, ...(description !== undefined && { description }) };
    if (isRequired) parameters.required.push(name);
  }
  const { tool, description, "side-effects": effects = "write" } = said;
  if (tool === undefined || !/^[a-z][a-z0-9_]{0,60}$/.test(tool))
    return "it has no line 'tool: NAME'";
  if (description === undefined) return "it has no line 'description: …'";
  return { name: tool, description, side_effects: effects, parameters };
}

/**
 * Arguments are never words of a shell: they are JSON on standard input, and TOOL_… variables.
 * @param {string} directory @param {string} file @param {object} args @param {Settings} settings @param {AbortSignal} signal
 */
async function runScript(directory, file, args, settings, signal) {
  const { timeoutSeconds = 30, maxOutputKiB = 256, variables = [] } = settings;
  const why = await whyNot(directory, file).catch(() => "it is gone");
  if (why !== null) throw new Error(`'${file}' is not run: ${why}`);
  const inherited = ["PATH", "HOME", "LANG", ...variables].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const given = Object.entries(args).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    // What a variable cannot hold is on standard input all the same.
    return text.includes("\0") || text.length > maxVariableLength
      ? []
      : [[`TOOL_${name.toUpperCase()}`, text]];
  });
  const child = spawn(join(directory, file), [], {
    cwd: directory,
    env: Object.fromEntries([...inherited, ...given]),
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own, so that what it has started ends with it.
    detached: true,
  });
  let output = "";
  let errors = "";
  /** @type {string | undefined} */
  let stopped;
  const end = (/** @type {string | undefined} */ reason) => {
    stopped ??= reason;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  const onAbort = () => end("it was cancelled");
  const timer = setTimeout(
    () => end(`it took longer than ${timeoutSeconds} seconds`),
    timeoutSeconds * 1_000,
  );
  signal.addEventListener("abort", onAbort, { once: true });
  child.stdout.setEncoding("utf8").on("data", (part) => {
    output += part;
    if (output.length > maxOutputKiB * 1024) end(`it wrote more than ${maxOutputKiB} KiB`);
  });
  child.stderr.setEncoding("utf8").on("data", (part) => {
    errors = (errors + part).slice(-errorTail);
  });
  // A script need not read what it is given.
  child.stdin.on("error", () => undefined).end(JSON.stringify(args));
  child.on("exit", () => end(undefined));
  try {
    /** @type {[number | null, string | null]} */
    const [code, by] = await new Promise((done, fail) => {
      child.on("error", (/** @type {NodeJS.ErrnoException} */ error) =>
        fail(new Error(`it cannot be started: ${error.code}`)),
      );
      child.on("close", (...ended) => done(ended));
    });
    if (stopped === undefined && code === 0) return resultOf(output);
    const what =
      stopped ?? (code === null ? `it was ended by ${by}` : `it ended with exit code ${code}`);
    const text = `${what}${errors.trim() === "" ? "" : `\n${errors.trim()}`}`;
    return { isError: true, content: [{ type: "text", text }] };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** A JSON object is structured content. @param {string} output */
function resultOf(output) {
  try {
    const value = JSON.parse(output);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Text, as most scripts write it.
  }
  return output.trimEnd();
}
