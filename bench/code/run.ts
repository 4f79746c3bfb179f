import { join } from "node:path";
import { createHttpGateway } from "../../src/faces/gateway/http-gateway.ts";
import { serveHttp } from "../../src/faces/http/serve.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import { type Bar, isMissed, median, renderBars, renderTable } from "../report.ts";

const services = ["mail", "tracker", "wiki", "sales", "support"];
const perService = ["1", "2", "3"];
const rounds = 15;
const calls = 100;
/** As many as a program makes. */
const atOnce = 16;

type Call = { name: string; arguments: object };
type Client = { instructions: string; tools: unknown[]; call(call: Call): Promise<string> };
type Talk = { turns: number; tokens: number; answer: string };

const office = join(import.meta.dirname, "office-server.mjs");
const mcpServers = Object.fromEntries(
  services.map((name) => [
    name,
    { command: process.execPath, args: [office, name], trusted: true },
  ]),
);

/** An MCP client of one mode, as a model has it. */
async function connect(url: string): Promise<Client> {
  let session = "";
  let id = 0;
  const ask = async (method: string, params: object) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...(session === "" ? {} : { "mcp-session-id": session }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    });
    session = response.headers.get("mcp-session-id") ?? session;
    const text = await response.text();
    const json = text.startsWith("{")
      ? text
      : (/^data: (\{.*"(?:result|error)".*)$/m.exec(text)?.[1] ?? "{}");
    return (JSON.parse(json) as { result: Record<string, unknown> }).result;
  };
  const clientInfo = { name: "bench", version: "1.0.0" };
  const { instructions } = await ask("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  const { tools } = await ask("tools/list", {});
  return {
    instructions: String(instructions),
    tools: tools as unknown[],
    async call(call) {
      const { content } = await ask("tools/call", call);
      return (content as { text: string }[]).map(({ text }) => text).join("\n");
    },
  };
}

/** A model that asks for these calls, turn by turn; what it reads and writes in each turn is counted. */
async function talk(
  plane: Plane,
  client: Client,
  script: readonly Call[][],
  task: string,
): Promise<Talk> {
  const { instructions, tools, call } = client;
  const messages: object[] = [
    { role: "system", content: instructions },
    { role: "user", content: task },
  ];
  const sent: string[] = [];
  let answer = "";
  for (const asked of [...script, []]) {
    sent.push(JSON.stringify({ tools, messages }));
    const said =
      asked.length === 0
        ? { role: "assistant", content: "The amounts add up to 300." }
        : { role: "assistant", tool_calls: asked };
    messages.push(said);
    sent.push(JSON.stringify(said));
    const results = await Promise.all(asked.map(call));
    messages.push(...results.map((content) => ({ role: "tool", content })));
    answer = results.at(-1) ?? answer;
  }
  const counts = await plane.tools.countTokens(sent);
  return { turns: script.length + 1, tokens: counts.reduce((sum, one) => sum + one, 0), answer };
}

const each = <T>(make: (service: string) => T[]): T[] => services.flatMap(make);
const direct = each((service): Call[] => [
  { name: `${service}__list_messages`, arguments: {} },
  ...perService.map((id) => ({ name: `${service}__get_message`, arguments: { id } })),
]);
const program = `let total = 0;
for (const service of [${services.map((name) => `tools.${name}`).join(", ")}]) {
  const { items } = await service.list_messages();
  const all = await Promise.all(items.slice(0, 3).map(({ id }) => service.get_message({ id })));
  for (const { amount } of all) total += amount;
}
return total;`;
const search = (name: string, service: string): Call => ({
  name,
  arguments: { query: `list and read messages in ${service}` },
});

const scripts = {
  full: direct.map((call) => [call]),
  "full, parallel calls": [
    direct.filter(({ name }) => name.includes("list")),
    direct.filter(({ name }) => name.includes("get")),
  ],
  lazy: [
    ...services.map((service) => [search("mcp_tool_search", service)]),
    ...direct.map((call) => [call]),
  ],
  code: [
    services.map((service) => search("search_tools", service)),
    [{ name: "run_code", arguments: { code: program } }],
  ],
} satisfies Record<string, Call[][]>;

async function compareModes(plane: Plane) {
  const gateway = createHttpGateway(plane, { view: {} });
  const serving = await serveHttp(plane, { host: "127.0.0.1", port: 0, mcp: gateway });
  const task = "Add up the amounts of the three newest messages of each service.";
  const talks: Record<string, Talk> = {};
  for (const [name, script] of Object.entries(scripts)) {
    const mode = name.split(",")[0];
    talks[name] = await talk(plane, await connect(`${serving.url}/mcp?mode=${mode}`), script, task);
  }
  await serving.close();
  return talks;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

async function measureTimes(plane: Plane) {
  const times = { start: [] as number[], program: [] as number[], direct: [] as number[] };
  const inProgram = `await Promise.all(Array.from({ length: ${calls} }, () => tools.mail.get_message({ id: "1" })));`;
  for (let round = -3; round < rounds; round += 1) {
    const start = await timed(() => plane.code.run("return 1"));
    const byProgram = await timed(() => plane.code.run(inProgram));
    let left = calls;
    const direct = async () => {
      while (left-- > 0) await plane.call("mail.get_message", { id: "1" });
    };
    const byHand = await timed(() => Promise.all(Array.from({ length: atOnce }, direct)));
    if (round < 0) continue;
    times.start.push(start);
    times.program.push(byProgram);
    times.direct.push(byHand);
  }
  const ratios = times.program.map((one, at) => one / (times.direct[at] ?? Number.NaN));
  return {
    startMs: median(times.start),
    programMs: median(times.program),
    directMs: median(times.direct),
    ratio: median(ratios),
  };
}

await using plane = await createPlane({ config: { mcpServers }, relays: true });
plane.start();
await plane.servers.list({ connect: true });
const talks = await compareModes(plane);
const { startMs, programMs, directMs, ratio } = await measureTimes(plane);
const of = (name: keyof typeof scripts) => talks[name] as Talk;
if (of("code").answer !== "300") throw new Error(`the program returned ${of("code").answer}`);
const bars: Bar[] = [
  {
    name: "tokens, code ÷ full",
    value: (100 * of("code").tokens) / of("full").tokens,
    limit: 10,
    unit: "%",
  },
  {
    name: "tokens, code ÷ lazy",
    value: (100 * of("code").tokens) / of("lazy").tokens,
    limit: 35,
    unit: "%",
  },
  { name: "turns, code", value: of("code").turns, limit: 4, unit: "" },
  { name: "start of a run, warm", value: startMs, limit: 15, unit: "ms" },
  { name: `${calls} calls in one program ÷ direct`, value: ratio, limit: 1.5, unit: "×" },
];
if (process.argv.includes("--json"))
  console.log(JSON.stringify({ talks, startMs, programMs, directMs, ratio, bars }));
else {
  const rows = Object.entries(talks).map(([name, { turns, tokens }]) => [
    name,
    String(turns),
    String(tokens),
  ]);
  console.log(`${renderTable(["mode", "turns", "tokens"], rows)}\n`);
  console.log(
    `${calls} calls: ${programMs.toFixed(1)} ms in a program, ${directMs.toFixed(1)} ms directly\n`,
  );
  console.log(renderBars(bars));
}
process.exitCode = bars.some(isMissed) ? 1 : 0;
