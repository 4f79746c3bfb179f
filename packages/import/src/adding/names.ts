import { basename, dirname, extname } from "node:path";

const maxLength = 40;

/** `@scope/mcp-server-files@1.2` is `files`. */
export function nameFromPackage(text: string): string {
  const [, scope = "", packageName = text] = /^@([^/]+)\/(.+)$/.exec(text) ?? [];
  const lastPart = packageName
    .replace(/^.*[/#]/, "")
    .replace(/(@|==|:|\[).*$/s, "")
    .replace(/\.(git|mcpb|dxt)$/, "");
  const bare = lastPart
    .replace(/^(mcp[-_])?server[-_]|^mcp[-_]/i, "")
    .replace(/[-_]mcp$|([-_]mcp)?[-_]server$/i, "");
  if (!/^(mcp|server)$/i.test(bare)) return plainName(bare);
  return plainName(scope === "" ? lastPart : scope);
}

/** `https://mcp.example.com/mcp` is `example`. */
export function nameFromUrl(url: URL): string {
  const labels = url.hostname.replace(/^\[|\]$/g, "").split(".");
  if (labels.length === 1 || /^[\d.:]+$/.test(url.hostname)) return "local";
  return plainName(labels.at(-2) ?? "");
}

const runners = new Set(["npx", "bunx", "pnpx", "uvx", "dlx", "exec", "run", "x"]);
const interpreters = /^(node|deno|bun|tsx|python\d*(\.\d+)?|uv|sh|bash|ruby|java)$/;
const withValue = new Set([
  "-p",
  "--package",
  "--from",
  "--with",
  "--python",
  "-e",
  "--env",
  "-v",
  "--volume",
  "--name",
]);

/** The package, image or script that a command line starts. */
export function nameFromCommand([program = "", ...args]: readonly string[]): string {
  const programName = basename(program).replace(/\.(exe|cmd|bat)$/i, "");
  const isRunner = runners.has(programName) || (args[0] !== undefined && runners.has(args[0]));
  const operands = args.filter(
    (argument, index) => !argument.startsWith("-") && !withValue.has(args[index - 1] ?? ""),
  );
  const target = operands.find((operand) => !runners.has(operand));
  if (isRunner && target !== undefined) return nameFromPackage(target);
  if (interpreters.test(programName) && target !== undefined) return nameFromScript(target);
  return nameFromPackage(basename(programName, extname(programName)));
}

/** `weather/index.js` is `weather`. */
function nameFromScript(file: string): string {
  const scriptName = basename(file, extname(file));
  const isCommon = /^(index|main|server|app|cli|mcp|src|dist|build)$/i.test(scriptName);
  const parent = dirname(file);
  if (!isCommon || parent === "." || parent === file || parent === "/")
    return nameFromPackage(scriptName);
  return nameFromScript(parent);
}

export function plainName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|(?<!-)-+$/g, "");
  return name.slice(0, maxLength).toLowerCase() || "server";
}

export function freeName(name: string, takenNames: readonly string[]): string {
  if (!takenNames.includes(name)) return name;
  let count = 2;
  while (takenNames.includes(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}
