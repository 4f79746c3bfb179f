import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { queryTools } from "../../src/catalogue/query-tools.ts";
import { createRegistry } from "../../src/catalogue/registry.ts";
import { translateTools } from "../../src/catalogue/sources/mcp.ts";
import { unfilteredQuery } from "../../src/model/catalogue/tool-query.ts";
import { ServerDefinition } from "../../src/model/servers/server.ts";
import { listedTool } from "./sample-tools.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use once nothing is left to collect. */
function usedBytes(): number {
  for (let round = 0; round < 4; round++) collect();
  return process.memoryUsage().heapUsed;
}

const [servers = 0, each = 0] = process.argv.slice(2).map(Number);
const definition = ServerDefinition.parse({ command: "server", transport: "stdio" });
const kept: unknown[] = [];
/** As it comes from a server: every text is its own. */
const fromWire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const registry = createRegistry(() => undefined);

function fill(count: number): void {
  for (let server = 0; server < count; server++) {
    const listed = Array.from({ length: each }, (_, at) => fromWire(listedTool(server, at)));
    registry.setSource(`team-${server}`, translateTools(`team-${server}`, definition, listed));
  }
  registry.snapshot().byId({ server: "none", tool: "none" });
  queryTools(registry.snapshot().tools, { ...unfilteredQuery, q: "nothing" }, () => ({
    total: 0,
    success_rate: 0,
  }));
  registry.snapshot().index.find("no such tool, so every rank is looked through");
}

fill(1);
const empty = usedBytes();
for (let server = 0; server < servers; server++) {
  for (let at = 0; at < each; at++) kept.push(fromWire(listedTool(server, at).inputSchema));
}
const schemas = usedBytes() - empty;
kept.length = 0;
const before = usedBytes();
fill(servers);
const all = usedBytes() - before;
console.log(
  JSON.stringify({
    schemaBytes: schemas / servers / each,
    beyondBytes: (all - schemas) / servers / each,
  }),
);
