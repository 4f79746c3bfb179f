import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { version } from "../src/lib/version.ts";

/** Packs the product, installs it somewhere else and uses it there, as a stranger would. */
const root = join(import.meta.dirname, "..");
const elsewhere = mkdtempSync(join(tmpdir(), "toolplane-package-"));
const bin = join(elsewhere, "node_modules", ".bin");
const environment = {
  ...process.env,
  PATH: [bin, join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
};

const libraryUse = `
import { createPlane, resultText, type Outcome } from "toolplane";
await using plane = await createPlane({ config: ".mcp.json" });
const outcome: Outcome = await plane.call("demo.greet", { name: "Bob" });
if (outcome.result) console.log(resultText(outcome.result));
`;

function run(command: string, args: readonly string[], cwd = elsewhere): string {
  return execFileSync(command, args, {
    cwd,
    env: environment,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

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

try {
  run("node", ["scripts/build.ts"], root);
  run("publint", ["--strict"], root);
  run("npm", ["pack", "--silent", "--pack-destination", elsewhere], root);
  const [archive = ""] = readdirSync(elsewhere).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(elsewhere, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run("npm", ["install", "--silent", "--no-audit", "--no-fund", join(elsewhere, archive)]);

  expect("the installed command knows its version", run("toolplane", ["--version"]), version);
  const config = {
    mcpServers: {
      demo: { command: "toolplane", args: ["demo"], env: { PATH: environment.PATH } },
      planner: { command: "toolplane", args: ["planner"], env: { PATH: environment.PATH } },
    },
  };
  writeFileSync(join(elsewhere, ".mcp.json"), JSON.stringify(config));
  const call = ["call", "demo.greet", "name=Ann", "--data-dir", join(elsewhere, "data")];
  expect("the installed command calls a tool", run("toolplane", call), "Hello, Ann!");

  const plan = ["plan", "make", "greet Ann", "--data-dir", join(elsewhere, "data")];
  expect("the installed planner knows the tools", run("toolplane", plan), "Tool: demo_greet");

  const page = await workbenchPage();
  expect("the installed workbench is served", page, "<title>Toolplane</title>");

  writeFileSync(join(elsewhere, "use.ts"), libraryUse);
  expect("the installed library calls a tool", run("node", ["use.ts"]), "Hello, Bob!");
  const strict = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "esnext",
    "--types",
    "",
    "use.ts",
  ];
  expect("the installed types compile", `${run("tsc", strict)}compiled`, "compiled");
} finally {
  rmSync(elsewhere, { recursive: true, force: true });
}
