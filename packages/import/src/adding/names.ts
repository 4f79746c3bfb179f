import { basename, dirname, extname } from "node:path";

const maxLength = 40;

/** `@scope/mcp-server-files@1.2` is `files`. */
export function nameFromPackage(text: string): string {
  const [, scope = "", rest = text] = /^@([^/]+)\/(.+)$/.exec(text) ?? [];
  const last = rest
    .replace(/^.*[/#]/, "")
    .replace(/(@|==|:|\[).*$/s, "")
    .replace(/\.(git|mcpb|dxt)$/, "");
  const bare = last
    .replace(/^(mcp[-_])?server[-_]|^mcp[-_]/i, "")
    .replace(/[-_]mcp$|([-_]mcp)?[-_]server$/i, "");
  const isOnlyKind = /^(mcp|server)$/i.test(bare);
  return plainName(isOnlyKind && scope !== "" ? scope : isOnlyKind ? last : bare);
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
  const called = basename(program).replace(/\.(exe|cmd|bat)$/i, "");
  const isRunner = runners.has(called) || (args[0] !== undefined && runners.has(args[0]));
  const words = args.filter(
    (word, at) => !word.startsWith("-") && !withValue.has(args[at - 1] ?? ""),
  );
  const started = words.find((word) => !runners.has(word));
  if (isRunner && started !== undefined) return nameFromPackage(started);
  if (interpreters.test(called) && started !== undefined) return nameFromScript(started);
  return nameFromPackage(basename(called, extname(called)));
}

/** `weather/index.js` is `weather`. */
function nameFromScript(file: string): string {
  const own = basename(file, extname(file));
  const isCommon = /^(index|main|server|app|cli|mcp|src|dist|build)$/i.test(own);
  const above = dirname(file);
  if (!isCommon || above === "." || above === file || above === "/") return nameFromPackage(own);
  return nameFromScript(above);
}

export function plainName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replaceAll(/^-+|(?<!-)-+$/g, "");
  return name.slice(0, maxLength).toLowerCase() || "server";
}

export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let count = 2;
  while (taken.includes(`${name}-${count}`)) count += 1;
  return `${name}-${count}`;
}
