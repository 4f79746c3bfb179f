import { sliceText } from "../../../lib/text/cut-text.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { metaToolNames } from "../../../model/catalogue/meta-tools.ts";
import type { SearchRequest } from "../../../model/catalogue/search.ts";
import type { FoundTool, SearchAnswer } from "../../../model/catalogue/search-schema.ts";
import { toolKey } from "../../../model/catalogue/tool-name.ts";
import { isForModels } from "../../../model/catalogue/tool-page.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Principal } from "../../../model/principal.ts";
import { showAddress } from "../skills/skills.ts";
import type { Surface } from "../surfaces.ts";
import type { ClientTools, LookUp, Shown } from "./client-tools.ts";

const maxNamed = 5;

/** Servers that have not listed yet and still may. */
async function serversOnTheWay(plane: Plane, principal: Principal): Promise<string[]> {
  const all = await plane.servers.list({ principal });
  return all.flatMap(({ name, state, tools }) =>
    state === "connecting" && tools === 0 ? [name] : [],
  );
}

function joinServers(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Above this only names. */
const maxSummaries = 100;
const maxNames = 500;
/** Without a server all tools are listed, up to this number. */
const fewTools = 20;

/** The heading of hand-written tools. */
const byHand = "(hand-written)";

/** What the definitions of the tools that this client may use cost, by server. */
export async function countTokens(
  plane: Plane,
  { principal }: Surface,
  client: ClientTools,
): Promise<UnknownObject> {
  const shown = new Set((await client.lookUp()).all.map(({ tool }) => tool.id.server));
  const { tokenizer, servers, lazy } = await plane.stats({}, { principal });
  const structuredContent = {
    tokenizer,
    servers: servers.filter(({ name }) => shown.has(name)),
    lazy,
  };
  return {
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

/** Servers with their number of tools, or the tools of one server in short. */
export async function answerListTools(
  plane: Plane,
  surface: Surface,
  client: ClientTools,
  { server }: UnknownObject,
): Promise<UnknownObject> {
  const all = (await client.lookUp()).all.filter(
    ({ tool }) => tool.source !== "builtin" && isForModels(tool),
  );
  const meant =
    typeof server === "string" && server !== ""
      ? toolsOf(all, server)
      : all.length <= fewTools
        ? all
        : null;
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
  const them = meant.length === 1 ? "it" : "them";
  const message = `${countOf(meant.length, "tool")}. Call ${them} with ${metaToolNames.call}, or load ${them} with ${metaToolNames.search}.${more}${late}`;
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
  const there =
    names.length === 0 ? "No server has tools for you." : `There are ${joinServers(names)}.`;
  throw new PlaneError("SERVER_NOT_FOUND", `No server '${server}' has tools. ${there}`, {
    data: { server },
  });
}

function countServers(all: readonly Shown[]): { name: string; tools: number }[] {
  return [...Map.groupBy(all, serverOf)].map(([name, tools]) => ({ name, tools: tools.length }));
}

/** On one line. */
function shorten(description: string, limit: number): string {
  const text = plainText(description).replaceAll(/\s+/g, " ").trim();
  return text.length > limit ? `${sliceText(text, 0, Math.max(0, limit - 3)).trimEnd()}...` : text;
}

/** Longer ones are cut, and the schema follows. */
const longest = 300;
const maxValues = 8;
const deepest = 2;

type Signature = { text: string; isWhole: boolean };

/** Parameters on one line: a tenth of the schema's tokens, and mostly enough for a call. */
export function renderSignature(schema: JsonObject): Signature {
  const parts: string[] = [];
  let isWhole = !("oneOf" in schema || "anyOf" in schema || "allOf" in schema || "$ref" in schema);
  let length = 0;
  for (const part of members(schema, 0)) {
    length += part.text.length + 2;
    if (length > longest)
      return { text: `${parts.join(", ")}${parts.length > 0 ? ", " : ""}…`, isWhole: false };
    parts.push(part.text);
    isWhole &&= part.isWhole;
  }
  return { text: parts.join(", "), isWhole };
}

/** Required ones first. */
function members({ properties, required }: JsonObject, depth: number): Signature[] {
  if (!isObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(properties).map(([name, value]) => {
    const { text, isWhole } = renderType(value, depth);
    return {
      isNeeded: needed.has(name),
      text: `${name}${needed.has(name) ? "" : "?"}: ${text}`,
      isWhole,
    };
  });
  return [...all.filter(({ isNeeded }) => isNeeded), ...all.filter(({ isNeeded }) => !isNeeded)];
}

function renderType(schema: unknown, depth: number): Signature {
  if (!isObject(schema)) return { text: "any", isWhole: true };
  const { type, enum: values, items, properties } = schema;
  if ("const" in schema) return { text: JSON.stringify(schema.const), isWhole: true };
  if (Array.isArray(values)) return renderValues(values);
  if (type === "array") {
    const { text, isWhole } = renderType(items, depth);
    return { text: `${/[|]/.test(text) ? `(${text})` : text}[]`, isWhole };
  }
  if (isObject(properties)) return renderObject(schema as JsonObject, depth);
  if (Array.isArray(type)) return { text: type.join("|"), isWhole: true };
  if (typeof type === "string") return { text: type, isWhole: true };
  return {
    text: "any",
    isWhole: Object.keys(schema).every((key) => key === "description" || key === "title"),
  };
}

function renderObject(schema: JsonObject, depth: number): Signature {
  if (depth >= deepest) return { text: "object", isWhole: false };
  const inside = members(schema, depth + 1);
  const text = inside.map((member) => member.text).join(", ");
  return { text: `{${text}}`, isWhole: inside.every(({ isWhole }) => isWhole) };
}

function renderValues(values: readonly unknown[]): Signature {
  const shown = values.slice(0, maxValues).map((value) => JSON.stringify(value));
  const isWhole = values.length <= maxValues;
  return { text: [...shown, ...(isWhole ? [] : ["…"])].join("|"), isWhole };
}

/** Later servers are found the next time, and the answer says so. */
const waitMs = 2_000;
/** Characters of schemas in one answer, for tools that one line does not explain. */
const maxSchema = 3_000;
const maxEcho = 100;

type Line = FoundTool & { arguments: string; inputSchema?: JsonObject };

/** The best matches, loaded, with all that a call needs. */
export async function answerSearchTools(
  plane: Plane,
  surface: Surface,
  client: ClientTools,
  args: UnknownObject,
): Promise<UnknownObject> {
  const { principal } = surface;
  const skillsOf = await surface.servers();
  const options = {
    principal,
    waitMs,
    session: client.id,
    only: surface.shows,
    skillsOf,
    orWords: true,
  };
  const answer = await plane.search(args as SearchRequest, { ...options, face: "mcp" });
  const onTheWay = await serversOnTheWay(plane, principal);
  // The search has waited for servers already.
  const tools = await client.lookUp("none");
  const found = answer.tools.flatMap((one) => {
    const shown = tools.find(one.name);
    return shown ? [{ one, shown }] : [];
  });
  const next = answer.next.flatMap((name) => tools.find(name) ?? []);
  const folded = found.flatMap(({ one, shown }) => siblingsOf(one, shown, tools));
  client.show([...next, ...folded]);
  // What does not fit would only take room in the context.
  const isFitting = answer.fits !== false;
  const autoLoaded = isFitting && (await client.load(found.map(({ shown }) => shown)));
  const lines = withSchemas(found);
  const skills = (answer.skills ?? []).map(({ server, uri, name, summary }) => {
    return { name, server, uri: showAddress(server, uri), summary };
  });
  const counts = { shown: lines.length, alike: folded.length };
  const said = describe(answer, counts, autoLoaded, onTheWay);
  const message = skills.length === 0 ? said : `${said} ${howToRead(skills.length)}`;
  const structuredContent = {
    query: answer.query,
    tools: lines,
    next: next.map(({ shown }) => shown),
    ...(skills.length > 0 && { skills }),
    total: answer.total,
    truncated: answer.truncated,
    totalAvailable: countTools(tools.all),
    autoLoaded: autoLoaded && lines.length > 0,
    message,
  };
  return { content: [{ type: "text", text: render(structuredContent) }], structuredContent };
}

/** Tools that share its line. */
function siblingsOf({ alsoOn = [] }: FoundTool, { tool }: Shown, tools: LookUp): Shown[] {
  return alsoOn.flatMap(
    (server) => tools.byKey(toolKey({ server, tool: tool.id.tool })) ?? tools.find(server) ?? [],
  );
}

/** Our own tools are no match. */
function countTools(all: readonly Shown[]): number {
  return all.filter(({ tool }) => tool.source !== "builtin" && isForModels(tool)).length;
}

function withSchemas(found: readonly { one: FoundTool; shown: Shown }[]): Line[] {
  let room = maxSchema;
  return found.map(({ one, shown: { shown, tool } }) => {
    const { text, isWhole } = renderSignature(tool.parameters);
    const line = { ...one, name: shown, arguments: text };
    const length = isWhole ? 0 : JSON.stringify(tool.parameters).length;
    if (isWhole || length > room) return line;
    room -= length;
    return { ...line, inputSchema: tool.parameters };
  });
}

function describe(
  { query, total, note, fits }: SearchAnswer,
  { shown: count, alike }: { shown: number; alike: number },
  autoLoaded: boolean,
  onTheWay: readonly string[],
): string {
  const asked = query.length > maxEcho ? `${sliceText(query, 0, maxEcho)}…` : query;
  const what =
    count === 0
      ? `No tool was found for '${asked}'. Try other words for the action or its object, or look with ${metaToolNames.list}.`
      : fits === false
        ? `Nothing here fits '${asked}'. The nearest ${count === 1 ? "is" : "are"} listed, and not loaded.`
        : `${count} of ${total} ${total === 1 ? "tool" : "tools"}${asked === "" ? "" : ` for '${asked}'`}. ${howToCall(count, autoLoaded)}${tellAlike(alike)}`;
  const late =
    onTheWay.length === 0
      ? ""
      : ` Still connecting: ${joinServers(onTheWay)}; search again for what they have.`;
  return `${what}${note === undefined ? "" : ` ${note}`}${late}`;
}

/** They share the line of one that is shown, and are not loaded. */
function tellAlike(count: number): string {
  if (count === 0) return "";
  return ` ${count} more ${count === 1 ? "does" : "do"} the same on other servers.`;
}

function howToCall(count: number, autoLoaded: boolean): string {
  const [they, them] = count === 1 ? ["It is", "it"] : ["They are", "them"];
  return autoLoaded
    ? `${they} loaded: call ${them} by name, or with ${metaToolNames.call}.`
    : `Call ${them} with ${metaToolNames.call}.`;
}

function howToRead(count: number): string {
  const [is, it] = count === 1 ? ["A skill tells", "it"] : ["Skills tell", "one"];
  return `${is} how to do such work: read ${it} first, with ${metaToolNames.call} and its uri as name.`;
}

type ShownSkill = { name: string; uri: string; summary: string };

type Rendered = { message: string; tools: Line[]; next: string[]; skills?: ShownSkill[] };

function render({ message, tools, next, skills = [] }: Rendered): string {
  const lines = tools.map(({ name, arguments: takes, summary, alsoOn, differsBy, inputSchema }) => {
    const also = alsoOn && alsoOn.length > 0 ? ` (also on ${alsoOn.join(", ")})` : "";
    const differs = differsBy && differsBy.length > 0 ? ` [${differsBy.join(", ")}]` : "";
    const schema = inputSchema ? `\n  ${JSON.stringify(inputSchema)}` : "";
    return `- ${name}(${takes}): ${summary}${differs}${also}${schema}`;
  });
  const more = next.length === 0 ? [] : [`Next: ${next.join(", ")}`];
  const texts = skills.map(({ name, uri, summary }) => `- skill ${name} (${uri}): ${summary}`);
  return [message, ...lines, ...texts, ...more].join("\n");
}
