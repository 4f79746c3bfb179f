import { sliceText } from "../../../lib/text/cut-text.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { metaToolNames } from "../../../model/catalogue/meta-tools.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Surface } from "../surfaces.ts";
import type { ClientTools } from "./client-tools.ts";
import type { Shown } from "./look-up.ts";
import { joinServers, serversOnTheWay } from "./servers-here.ts";

/** So many are told with their summaries; of more only the names. */
const maxSummaries = 100;
const maxNames = 500;
/** Without a server all tools are told, where they are no more than this. */
const fewTools = 20;

/** What tools written by hand are listed under. */
const byHand = "(hand-written)";

/** The servers with the number of their tools, or the tools of one server in short. */
export async function listTools(
  plane: Plane,
  surface: Surface,
  client: ClientTools,
  { server }: UnknownObject,
): Promise<UnknownObject> {
  const all = (await client.lookUp()).all().filter(({ tool }) => tool.source !== "builtin");
  const meant =
    typeof server === "string" && server !== "" ? toolsOf(all, server) : all.length <= fewTools ? all : null;
  const limit = plane.config().lazy.summaryDescriptionLimit;
  const onTheWay = await serversOnTheWay(plane, surface.principal);
  const late = onTheWay.length === 0 ? "" : ` Still connecting: ${joinServers(onTheWay)}.`;
  const servers = countServers(all);
  if (meant === null) {
    const message = `${countOf(all.length, "tool")} of ${countOf(servers.length, "server")}. Give 'server' for its tools, or search with ${metaToolNames.search}.${late}`;
    const lines = servers.map(({ name, tools }) => `- ${name}: ${tools}`);
    return answer({ servers, totalAvailable: all.length, message }, lines);
  }
  const told = meant.slice(0, maxNames);
  client.show(told);
  const rest = meant.length - told.length;
  const more = rest > 0 ? ` ${rest} more are found with ${metaToolNames.search}.` : "";
  const message = `${countOf(meant.length, "tool")}. Call ${meant.length === 1 ? "it" : "them"} with ${metaToolNames.call}, or load ${meant.length === 1 ? "it" : "them"} with ${metaToolNames.search}.${more}${late}`;
  const tools = told.map(({ shown: name, tool: { id, description } }) => ({
    name,
    server: id.server,
    ...(meant.length <= maxSummaries ? { summary: shorten(description, limit) } : {}),
  }));
  const lines = tools.map(({ name, summary }) => `- ${name}${summary ? `: ${summary}` : ""}`);
  const counts = { count: meant.length, totalAvailable: all.length };
  return answer({ servers: countServers(meant), tools, ...counts, message }, lines);
}

function answer(structuredContent: UnknownObject & { message: string }, lines: readonly string[]) {
  const text = [structuredContent.message, ...lines].join("\n");
  return { content: [{ type: "text", text }], structuredContent };
}

const serverOf = ({ tool }: Shown) => tool.id.server ?? byHand;

function toolsOf(all: readonly Shown[], server: string): Shown[] {
  const meant = all.filter((one) => matchesGlob(server, serverOf(one)));
  if (meant.length > 0) return meant;
  const names = countServers(all).map(({ name }) => name);
  const there = names.length === 0 ? "No server has tools for you." : `There are ${joinServers(names)}.`;
  throw new PlaneError("SERVER_NOT_FOUND", `No server '${server}' has tools. ${there}`, { data: { server } });
}

function countServers(all: readonly Shown[]): { name: string; tools: number }[] {
  return [...Map.groupBy(all, serverOf)].map(([name, tools]) => ({ name, tools: tools.length }));
}

/** As the summaries of statistics, on one line. */
function shorten(description: string, limit: number): string {
  const text = plainText(description).replaceAll(/\s+/g, " ").trim();
  return text.length > limit ? `${sliceText(text, 0, limit).trimEnd()}…` : text;
}
