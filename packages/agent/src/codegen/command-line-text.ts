/** What a generated command line runs on: its words, its flags and its help. */
export const readWordsText = `type Flag = {
  /** As it is written: \`--max-lines\`. */
  flag: string;
  name: string;
  kind: "text" | "number" | "integer" | "boolean" | "json";
  list: boolean;
  nullable: boolean;
  required: boolean;
  about: string;
  values?: readonly unknown[];
};
type Command = { command: string; tool: string; about: string; flags: readonly Flag[] };
type Settings = { json: boolean; yes: boolean; url?: string; args?: string; timeout?: string; config: string[] };

type Stream = { write(text: string): unknown };
type Child = {
  stdin: { end(text: string): unknown; on(event: "error", listener: () => void): unknown };
  stdout: { setEncoding(name: string): unknown; on(event: "data", listener: (text: string) => void): unknown };
  on(event: "error" | "close", listener: (reason: unknown) => void): unknown;
};
type NodeProcess = {
  argv: string[];
  env: Record<string, string | undefined>;
  platform: string;
  stdout: Stream;
  stderr: Stream;
  stdin: AsyncIterable<Uint8Array | string> & { setEncoding(name: string): unknown };
  exitCode?: number;
  getBuiltinModule(name: "node:child_process"): {
    spawn(command: string, args: string[], options: { stdio: string[]; shell: boolean }): Child;
  };
  getBuiltinModule(name: "node:fs"): { readFileSync(path: string, encoding: "utf8"): string };
};

const node = (globalThis as unknown as { process: NodeProcess }).process;

/** What is wrong with the words of the command. */
class UsageError extends Error {}

const settingsHelp = [
  ["--args JSON|@FILE|-", "all arguments as JSON; flags come on top"],
  ["--json", "print the outcome as one JSON document"],
  ["--timeout SECONDS", "0 for no limit"],
  ["--url URL", "a plane that serves; or TOOLPLANE_URL, with TOOLPLANE_KEY where it asks for a key"],
  ["--config FILE", "without --url: the configuration of 'toolplane'; repeatable"],
  ["--yes", "without --url: yes to what the policy would ask"],
  ["-h, --help", "show help"],
] as const;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => \`  \${left.padEnd(width)}  \${right}\`.trimEnd()).join("\\n");
}

function helpOf(command: Command | undefined): string {
  if (command === undefined) {
    const rows = commands.map(({ command: name, about }) => [name, about] as const);
    return \`Usage: \${program} COMMAND [flags]\\n\\nCommands:\\n\${table(rows)}\\n\\nOptions of every command:\\n\${table(settingsHelp)}\\n\`;
  }
  const rows = command.flags.map(({ flag, kind, list, required, about, values }) => {
    const value = values === undefined ? (list ? \`\${kind}…\` : kind) : values.map(String).join("|");
    const left = kind === "boolean" && !list ? \`--\${flag}, --no-\${flag}\` : \`--\${flag} <\${value}>\`;
    return [left, \`\${about}\${required ? " (required)" : ""}\`.trim()] as const;
  });
  const flags = rows.length === 0 ? "" : \`\\nFlags:\\n\${table(rows)}\\n\`;
  return \`Usage: \${program} \${command.command} [flags]\\n\\n\${command.about}\\n\${flags}\\nOptions:\\n\${table(settingsHelp)}\\n\`;
}

function parseJson(text: string, about: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(\`\${about} is not JSON: \${text}\`);
  }
}

function scalar(flag: Flag, text: string): unknown {
  const about = \`--\${flag.flag}\`;
  if (flag.nullable && text === "null") return null;
  if (flag.values !== undefined) {
    const found = flag.values.find((value) => String(value) === text);
    if (found === undefined) throw new UsageError(\`\${about} must be one of \${flag.values.map(String).join(", ")}.\`);
    return found;
  }
  if (flag.kind === "text") return text;
  if (flag.kind === "json") return parseJson(text, about);
  if (flag.kind === "boolean") {
    if (text !== "true" && text !== "false") throw new UsageError(\`\${about} must be true or false.\`);
    return text === "true";
  }
  const number = text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) throw new UsageError(\`\${about} must be a number.\`);
  if (flag.kind === "integer" && !Number.isInteger(number)) throw new UsageError(\`\${about} must be an integer.\`);
  return number;
}

function readWords(command: Command, words: readonly string[]): { args: Record<string, unknown>; settings: Settings } {
  const args: Record<string, unknown> = {};
  const settings: Settings = { json: false, yes: false, config: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (!word.startsWith("--")) throw new UsageError(\`'\${word}' is not expected. See: \${program} \${command.command} --help\`);
    const [, name = "", attached] = /^--([^=]*)(?:=([\\s\\S]*))?$/.exec(word) ?? [];
    const value = (): string => {
      const given = attached ?? words[++at];
      if (given === undefined) throw new UsageError(\`--\${name} needs a value.\`);
      return given;
    };
    if (name === "json" || name === "yes") settings[name] = true;
    else if (name === "url" || name === "args" || name === "timeout") settings[name] = value();
    else if (name === "config") settings.config.push(value());
    else readFlag(command, name, attached, value, args);
  }
  return { args, settings };
}

function readFlag(
  command: Command,
  name: string,
  attached: string | undefined,
  value: () => string,
  args: Record<string, unknown>,
): void {
  const flag = command.flags.find((one) => one.flag === name || one.name === name);
  const off = command.flags.find((one) => one.kind === "boolean" && !one.list && \`no-\${one.flag}\` === name);
  const set = (to: Flag, given: unknown) =>
    Object.defineProperty(args, to.name, { value: given, enumerable: true, configurable: true, writable: true });
  if (flag === undefined && off !== undefined && attached === undefined) set(off, false);
  else if (flag === undefined)
    throw new UsageError(\`No flag --\${name}. See: \${program} \${command.command} --help\`);
  else if (flag.kind === "boolean" && !flag.list) set(flag, attached === undefined ? true : scalar(flag, attached));
  else if (!flag.list) set(flag, scalar(flag, value()));
  else {
    const text = value();
    const before = Object.hasOwn(args, flag.name) ? (args[flag.name] as unknown[]) : [];
    const more = text.startsWith("[") ? parseJson(text, \`--\${name}\`) : [scalar(flag, text)];
    set(flag, [...before, ...(more as unknown[])]);
  }
}

async function readArguments(given: string | undefined): Promise<Record<string, unknown>> {
  if (given === undefined) return {};
  let text = given;
  if (given === "-") {
    node.stdin.setEncoding("utf8");
    text = "";
    for await (const part of node.stdin) text += String(part);
  } else if (given.startsWith("@")) {
    try {
      text = node.getBuiltinModule("node:fs").readFileSync(given.slice(1), "utf8");
    } catch {
      throw new UsageError(\`The file \${given.slice(1)} cannot be read.\`);
    }
  }
  const value = parseJson(text, "--args");
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError("--args must be an object.");
  return value as Record<string, unknown>;
}`;

/** It calls and tells. */
export const runText = `/** Through the command line of Toolplane, which uses the plane that serves or starts the server itself. */
function callOverCommand(tool: string, args: unknown, settings: Settings): Promise<Outcome> {
  const [command = "toolplane", ...before] = (node.env["TOOLPLANE_COMMAND"] ?? "toolplane").split(" ");
  const words = [...before, "call", tool, "--args", "-", "--json"];
  for (const file of settings.config) words.push("--config", file);
  if (settings.timeout !== undefined) words.push("--timeout", settings.timeout);
  if (settings.yes) words.push("--yes");
  const isWindows = node.platform === "win32";
  const quoted = isWindows ? words.map((word) => JSON.stringify(word)) : words;
  return new Promise((resolve) => {
    const { spawn } = node.getBuiltinModule("node:child_process");
    const child = spawn(command, quoted, { stdio: ["pipe", "pipe", "inherit"], shell: isWindows });
    let text = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (part) => {
      text += part;
    });
    child.on("error", () =>
      resolve(failure("SERVER_UNAVAILABLE", \`'\${command}' cannot be started. Install toolplane, or give --url.\`)),
    );
    child.on("close", () => {
      try {
        const said = JSON.parse(text) as Outcome;
        resolve(typeof said.ok === "boolean" ? said : { ...failure("INTERNAL", "The call failed."), ...said, ok: false });
      } catch {
        resolve(failure("INTERNAL", \`'\${command} call' gave no outcome.\`));
      }
    });
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(args));
  });
}

async function run(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  const same = (one: string) => one.toLowerCase().replaceAll(/[^\\p{L}\\p{N}]+/gu, "-");
  const command =
    commands.find((one) => one.command === name) ?? commands.find((one) => same(one.command) === same(name ?? ""));
  if (name === "--help" || name === "-h" || name === "help") return print(helpOf(undefined));
  if (name === undefined) throw new UsageError(\`A command is missing. See: \${program} --help\`);
  if (command === undefined) throw new UsageError(\`No command '\${name}'. See: \${program} --help\`);
  if (rest.includes("--help") || rest.includes("-h")) return print(helpOf(command));
  const { args: flags, settings } = readWords(command, rest);
  const args = { ...(await readArguments(settings.args)), ...flags };
  const missing = command.flags.filter((flag) => flag.required && !Object.hasOwn(args, flag.name));
  if (missing.length > 0) throw new UsageError(\`Missing: \${missing.map(({ flag }) => \`--\${flag}\`).join(", ")}.\`);
  const seconds = Number(settings.timeout ?? 0);
  if (!(seconds >= 0)) throw new UsageError("--timeout must be a number of seconds.");
  const url = settings.url ?? (node.env["TOOLPLANE_URL"] || undefined);
  if (url !== undefined && settings.yes) throw new UsageError("--yes does not go with a plane that serves.");
  const outcome =
    url === undefined
      ? await callOverCommand(command.tool, args, settings)
      : await callOverHttp(
          { url, key: node.env["TOOLPLANE_KEY"] },
          command.tool,
          args,
          settings.timeout === undefined ? {} : { timeoutMs: seconds * 1000 },
        );
  return tell(outcome, settings);
}

function print(text: string): number {
  node.stdout.write(text);
  return 0;
}

function tell(outcome: Outcome, { json }: Settings): number {
  const { error, result, approval } = outcome;
  const exit = outcome.ok ? 0 : (exitCodes[error?.code ?? ""] ?? 1);
  if (json) {
    print(\`\${JSON.stringify(outcome, null, 2)}\\n\`);
    return exit;
  }
  const texts = (result?.content ?? []).map((block) =>
    block.type === "text" ? String(block.text) : \`[\${block.type}]\`,
  );
  const shown = texts.length > 0 ? texts.join("\\n") : JSON.stringify(result?.structuredContent ?? null, null, 2);
  if (outcome.ok) return print(\`\${shown}\\n\`);
  node.stderr.write(\`error: \${error?.message ?? shown} [\${error?.code ?? "INTERNAL"}]\\n\`);
  if (approval !== undefined) node.stderr.write(\`Approve it: toolplane approvals approve \${approval.id}\\n\`);
  return exit;
}

const words = node.argv.slice(2);
void run(words)
  .catch((thrown: unknown) => {
    if (!(thrown instanceof UsageError)) throw thrown;
    return tell(failure("USAGE", thrown.message), { json: words.includes("--json"), yes: false, config: [] });
  })
  .then((code) => {
    node.exitCode = code;
  });`;
