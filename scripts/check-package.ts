import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { version } from "../src/lib/version.ts";

/** Packs the product, installs it in an empty project and uses it there, on the newest and on the oldest Node. */
const root = join(import.meta.dirname, "..");
const elsewhere = mkdtempSync(join(tmpdir(), "toolplane-package-"));
const bin = join(elsewhere, "node_modules", ".bin");
const environment = {
  ...process.env,
  PATH: [bin, join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};

const libraryUse = `
import { createPlane, resultText, type Outcome } from "toolplane";
const plane = await createPlane({ config: ".mcp.json" });
const outcome: Outcome = await plane.call("demo.greet", { name: "Bob" });
if (outcome.result) console.log(resultText(outcome.result));
await plane.stop();
`;

function run(command: string, args: readonly string[], cwd = elsewhere): string {
  return execFileSync(command, args, {
    cwd,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  engines: { node: string };
};
const tool = (name: string, words: readonly string[]) =>
  run("node", [join(root, "scripts/tools/run.ts"), name, ...words], root);

function expect(what: string, actual: string, wanted: string): void {
  if (!actual.includes(wanted)) throw new Error(`${what}: expected '${wanted}', got '${actual}'`);
  process.stdout.write(`✔ ${what}\n`);
}

/** The page as a browser gets it, with the script it names. */
async function workbenchPage(): Promise<string> {
  const words = ["serve", "--port", "0", "--json", "--data-dir", join(elsewhere, "served")];
  const serving = spawn("toolplane", words, {
    cwd: elsewhere,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface(serving.stdout), "line");
    const { url } = JSON.parse(String(line)) as { url: string };
    const html = await (await fetch(`${url}/`)).text();
    const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(html) ?? [];
    const { status } = await fetch(`${url}${script}`);
    if (status !== 200) throw new Error(`the workbench's script ${script} answers ${status}`);
    return html;
  } finally {
    serving.kill();
  }
}

/** The oldest Node that the package promises to run on, as a directory to put first in PATH. */
function installOldestNode(): string {
  const oldest = engines.node.replace(">=", "");
  const part = `node-${process.platform}-${process.arch}`;
  const prefix = join(elsewhere, "oldest-node");
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", prefix, `${part}@~${oldest}.0`]);
  return join(prefix, "node_modules", ".bin");
}

function checkInstalled(): void {
  expect("the installed command knows its version", run("toolplane", ["--version"]), version);
  const call = ["call", "demo.greet", "name=Ann", "--data-dir", join(elsewhere, "data")];
  run("toolplane", ["trust", "--yes", "--data-dir", join(elsewhere, "data")]);
  expect("the installed command calls a tool", run("toolplane", call), "Hello, Ann!");
  const search = ["search", "welcome my friend", "--data-dir", join(elsewhere, "data")];
  expect("the installed command searches by meaning", run("toolplane", search), "demo.greet");
  const plan = ["plan", "make", "greet Ann", "--data-dir", join(elsewhere, "data")];
  expect("the installed planner knows the tools", run("toolplane", plan), "Tool: demo_greet");
  expect("the installed command explains an error", run("toolplane", ["explain", "TIMEOUT"]), "TIMEOUT");
  expect("the installed library calls a tool", run("node", ["use.mjs"]), "Hello, Bob!");
}

try {
  tool("publint", ["--strict"]);
  run("npm", ["pack", "--silent", "--pack-destination", elsewhere], root);
  const [archive = ""] = readdirSync(elsewhere).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(elsewhere, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", join(elsewhere, archive)]);
  const servers = {
    demo: { command: "toolplane", args: ["demo"], env: { PATH: environment.PATH } },
    planner: { command: "toolplane", args: ["planner"], env: { PATH: environment.PATH } },
  };
  writeFileSync(join(elsewhere, ".mcp.json"), JSON.stringify({ mcpServers: servers }));
  writeFileSync(join(elsewhere, "use.ts"), libraryUse);
  writeFileSync(join(elsewhere, "use.mjs"), stripTypeScriptTypes(libraryUse));

  process.stdout.write(`Node ${process.versions.node}\n`);
  checkInstalled();
  expect("the installed workbench is served", await workbenchPage(), "<title>Toolplane</title>");
  const installed = join(elsewhere, "node_modules", "toolplane");
  const documents = ["docs/errors/TIMEOUT.md", "dist/sbom.cdx.json", "dist/types/index.d.ts", "CHANGELOG.md"];
  for (const file of [...documents, "dist/tool-vectors.bin", "dist/tool-vectors.md", "dist/third-party-licenses.txt"])
    expect(`the package has ${file}`, String(existsSync(join(installed, file))), "true");
  const strict = ["--noEmit", "--strict", "--module", "nodenext", "--target", "esnext", "--types", "", "use.ts"];
  expect("the installed types compile", `${run("tsc", strict)}compiled`, "compiled");

  environment.PATH = [installOldestNode(), environment.PATH].join(delimiter);
  process.stdout.write(`Node ${run("node", ["--version"])}`);
  checkInstalled();
} finally {
  rmSync(elsewhere, { recursive: true, force: true });
}
