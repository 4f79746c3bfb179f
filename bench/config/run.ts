import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load-config.ts";

/** A large file with a few broken entries: how much processor time does understanding it take? */
const directory = mkdtempSync(join(tmpdir(), "toolplane-bench-"));
const file = join(directory, "many.json");
const good = Array.from({ length: 195 }, (_, at) => [
  `server-${at}`,
  {
    command: "node",
    args: ["server.js", String(at)],
    env: { TOKEN: "${HOME}", LEVEL: "info" },
    description: `Server ${at}`,
  },
]);
const broken = [
  ["no-start", { args: ["x"] }],
  ["wrong-type", { command: 7 }],
  ["unset", { command: "node", env: { KEY: "${SURELY_NOT_SET_ANYWHERE}" } }],
  ["bad-url", { url: "ftp://example.org" }],
  ["no-object", "text"],
];
writeFileSync(
  file,
  JSON.stringify({ mcpServers: Object.fromEntries([...good, ...broken]) }, null, 2),
);

const rounds = 20;
const times: number[] = [];
for (let round = 0; round < rounds; round++) {
  const before = process.cpuUsage();
  const { config } = await loadConfig(file, process.env);
  const { user, system } = process.cpuUsage(before);
  times.push((user + system) / 1000);
  const ready = Object.keys(config.servers).length;
  if (ready !== 195 || config.problems.length !== 5) {
    throw new Error(`${ready} servers ready, ${config.problems.length} problems`);
  }
}
rmSync(directory, { recursive: true });
const [first = 0, ...warm] = times;
warm.sort((a, b) => a - b);
console.log(
  `200 servers, 5 broken: ${first.toFixed(0)} ms of processor time at first, ${warm[9]?.toFixed(0)} ms when warm`,
);
