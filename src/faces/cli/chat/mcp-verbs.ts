import { nearest } from "../../../lib/text/nearest.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf, nounFor } from "../../../lib/text/wording.ts";
import type { ContextStats } from "../../../model/catalogue/quality-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { ServerStatus } from "../../../model/servers/server-schema.ts";
import { renderStats } from "../commands/quality.ts";
import { colors, print, say, table } from "../terminal/output.ts";
import { renderInstalling, renderTrouble, shownState } from "../terminal/server-trouble.ts";
import { terminal } from "../terminal/terminal.ts";
import type { Chat, Verb } from "./chat-state.ts";

const maxDescription = 60;
const maxFound = 10;

/** What can be said after `/mcp`. */
export const mcpVerbs: Record<string, Verb> = {
  list: { usage: "", about: "list the servers and their state", run: listServers },
  connect: { usage: "SERVER", about: "connect a server and add its tools", run: connect },
  disconnect: { usage: "SERVER", about: "disconnect a server and remove its tools", run: disconnect },
  tools: { usage: "[SERVER]", about: "tools, and which of them are loaded", run: listTools },
  search: { usage: "QUERY", about: "find tools and load them, 10 at most", run: search },
  stats: { usage: "[SERVER]", about: "what definitions cost in the context of a model", run: stats },
};

/** The verb of that name; `group` is what is typed before it. */
export function verbIn(known: Readonly<Record<string, Verb>>, name: string, group = ""): Verb {
  const verb = Object.hasOwn(known, name) ? known[name] : undefined;
  if (verb) return verb;
  const [meant] = nearest(name, Object.keys(known), 1);
  const remedy = meant ? `Did you mean /${group}${meant}?` : "/help lists the commands.";
  throw new PlaneError("USAGE", `Unknown command /${group}${name}. ${remedy}`);
}

/** The servers, or what the first word says. */
export const mcp: Verb = {
  usage: `[${Object.keys(mcpVerbs).join("|")}]`,
  about: "servers and their tools",
  run(chat, [word = "list", ...words]) {
    return verbIn(mcpVerbs, word, "mcp ").run(chat, words);
  },
};

async function listServers({ plane, away }: Chat): Promise<void> {
  const servers = await plane.servers.list({ connect: true });
  if (servers.length === 0) return print("No servers are configured.");
  const width = Math.max(...servers.map(({ name }) => name.length));
  for (const status of servers) {
    const tools = countOf(away.has(status.name) ? 0 : status.tools, "tool");
    print(`${icon(status)} ${status.name.padEnd(width)}  ${tools.padEnd(10)} ${noteOn(status)}`.trimEnd());
  }
}

function icon({ state, error }: ServerStatus): string {
  if (state === "connected") return colors.green("✔");
  return error === null ? colors.dim("○") : colors.red("✖");
}

function noteOn(status: ServerStatus): string {
  const installing = renderInstalling(status);
  if (installing !== null) return colors.dim(installing);
  const why = renderTrouble(status);
  if (why !== null) return colors.red(plainText(why));
  return status.state === "connected" ? "" : colors.dim(shownState(status));
}

async function connect({ plane, away }: Chat, [server]: string[]): Promise<void> {
  if (server === undefined) throw missingServer("connect");
  await plane.servers.connect(server);
  away.delete(server);
  const { tools } = await plane.servers.get(server);
  print(`${colors.green("✔")} ${server} is connected: ${countOf(tools, "tool")}.`);
}

async function disconnect({ plane, away, loading }: Chat, [server]: string[]): Promise<void> {
  if (server === undefined) throw missingServer("disconnect");
  const gone = (await plane.tools.list({ server, waitMs: 0 })).map(({ name }) => name);
  await plane.servers.disconnect(server);
  away.add(server);
  loading.unload(gone);
  print(
    `${colors.dim("○")} ${server} is disconnected; ${countOf(gone.length, "tool")} ${nounFor(gone.length, "is", "are")} gone.`,
  );
}

function missingServer(verb: string): PlaneError {
  return new PlaneError("USAGE", `Say which server: /mcp ${verb} SERVER. /mcp lists them.`);
}

async function listTools({ plane, loading }: Chat, [server]: string[]): Promise<void> {
  const tools = await loading.tools(server);
  if (tools.length === 0) return print("No tools are there; /mcp shows why.");
  const isLoaded = await loading.loadedAmong(tools);
  const width = Math.max(...tools.map(({ name }) => name.length));
  const report = await plane.tools.quality(server === undefined ? {} : { server });
  const scores = new Map(report.tools.map(({ name, score, passed }) => [name, passed ? score : `${score} (failed)`]));
  for (const tool of tools) {
    const mark = isLoaded(tool) ? colors.green("●") : colors.dim("○");
    const score = String(scores.get(tool.name) ?? "");
    print(`${mark} ${tool.name.padEnd(width)}  ${score.padStart(3)}  ${shorten(tool.description)}`.trimEnd());
  }
  const failed = tools.filter(({ name }) => typeof scores.get(name) === "string").length;
  print(colors.dim(`${tools.filter(isLoaded).length}/${tools.length} loaded`));
  print(colors.dim(`The number is its quality: ${report.threshold} and more passes, ${failed} failed`));
}

function shorten(description: string): string {
  const line = plainText(description).replaceAll(/\s+/g, " ").trim();
  return line.length > maxDescription ? `${line.slice(0, maxDescription - 1)}…` : line;
}

async function search(chat: Chat, words: string[]): Promise<void> {
  if (words.length === 0) throw new PlaneError("USAGE", "Say what to search for: /mcp search send an email");
  const { tools, total, note } = await chat.plane.search({ query: words.join(" "), limit: maxFound });
  const found = tools.filter(({ server }) => server === null || !chat.away.has(server));
  if (found.length === 0) print("No tool was found.");
  else {
    const rows = table(found, "", {
      TOOL: ({ name }) => name,
      SCORE: ({ score }) => score.toFixed(2),
      NEEDS: ({ required }) => required.join(", ") || "-",
      SUMMARY: ({ summary }) => summary,
    });
    print(rows);
    const fresh = await chat.loading.load(found.map(({ name }) => name));
    const loaded = fresh === 0 ? "all loaded already" : `${fresh} loaded by this search`;
    print(colors.dim(`${found.length} of ${total} that match; ${loaded}.`));
  }
  if (note !== undefined) say(`${colors.yellow("note:")} ${plainText(note)}`);
}

async function stats(chat: Chat, [server]: string[]): Promise<void> {
  const { plane, loading, away } = chat;
  await loading.weigh();
  const found = withoutServers(await plane.stats(server === undefined ? {} : { server }), away);
  if (found.totals.tools === 0) return print("The catalogue is empty; /mcp shows why.");
  print(renderStats(found, terminal.stdout.isTTY === true));
  const tools = await loading.tools(server);
  const isLoaded = await loading.loadedAmong(tools);
  print(`${tools.filter(isLoaded).length}/${tools.length} loaded, as /mcp tools shows.`);
  print(colors.dim(`Tokens by ${found.tokenizer}.`));
}

/** Without those that were disconnected here: their tools are gone. */
function withoutServers(found: ContextStats, away: ReadonlySet<string>): ContextStats {
  const gone = found.servers.filter(({ name }) => away.has(name));
  if (gone.length === 0) return found;
  const left = (key: "tools" | "fullTokens" | "summaryTokens" | "loadedTokens") =>
    gone.reduce((sum, server) => sum - server[key], found.totals[key]);
  const fullTokens = left("fullTokens");
  const loadedTokens = left("loadedTokens");
  const savedPercent = fullTokens === 0 ? 0 : Math.round((1 - loadedTokens / fullTokens) * 1_000) / 10;
  return {
    ...found,
    servers: found.servers.filter(({ name }) => !away.has(name)),
    totals: {
      tools: left("tools"),
      fullTokens,
      loadedTokens,
      summaryTokens: left("summaryTokens"),
      savedPercent,
    },
  };
}
