import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All variants in turn, round after round, so that a busy machine slows each of them alike. */
const rounds = Number(process.argv[2] ?? 30);
const here = import.meta.dirname;
const bin = join(here, "..", "..", "dist", "bin.js");
const server = join(here, "echo-server.mjs");
const directory = mkdtempSync(join(tmpdir(), "toolplane-bench-"));
const config = join(directory, "config.json");
writeFileSync(
  config,
  JSON.stringify({ mcpServers: { echo: { command: process.execPath, args: [server] } } }),
);

const tools = join(directory, "tools.json");
const description = "Returns the message it was given.";
writeFileSync(tools, JSON.stringify({ tools: [{ name: "echo.echo", description }] }));

const list = ["tools", "list", "--config", config, "--data-dir", directory];
const call = ["call", "echo.echo", "message=hello", "--config", config, "--data-dir", directory];
const variants: { name: string; args: string[]; floor: string; expect: string }[] = [
  { name: "node -e 0", args: ["-e", "0"], floor: "node -e 0", expect: "" },
  { name: "toolplane --version", args: [bin, "--version"], floor: "node -e 0", expect: "0." },
  { name: "toolplane --help", args: [bin, "--help"], floor: "node -e 0", expect: "Usage" },
  {
    name: "raw list",
    args: [join(here, "raw-list.mjs"), tools],
    floor: "raw list",
    expect: "echo",
  },
  { name: "toolplane tools list", args: [bin, ...list], floor: "raw list", expect: "echo" },
  {
    name: "raw call",
    args: [join(here, "raw-call.mjs"), server],
    floor: "raw call",
    expect: "hello",
  },
  { name: "toolplane call", args: [bin, ...call], floor: "raw call", expect: "hello" },
  {
    name: "SDK call",
    args: [join(here, "sdk-call.mjs"), server],
    floor: "raw call",
    expect: "hello",
  },
];

const times = new Map(variants.map(({ name }) => [name, [] as number[]]));
for (let round = -2; round < rounds; round++) {
  for (const { name, args, expect } of variants) {
    const startedAt = performance.now();
    const { stdout, status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const ms = performance.now() - startedAt;
    if (status !== 0 || !stdout.includes(expect))
      throw new Error(`${name} failed: ${stdout}${stderr}`);
    if (round >= 0) times.get(name)?.push(ms);
    if (process.stderr.isTTY)
      process.stderr.write(`\rround ${Math.max(0, round + 1)} of ${rounds} `);
  }
}
rmSync(directory, { recursive: true });

const median = (name: string) =>
  (times.get(name) ?? []).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
console.log("\n| command | median ms | × floor |\n| --- | --- | --- |");
for (const { name, floor } of variants) {
  console.log(
    `| ${name} | ${median(name).toFixed(0)} | ${(median(name) / median(floor)).toFixed(2)} × ${floor} |`,
  );
}
