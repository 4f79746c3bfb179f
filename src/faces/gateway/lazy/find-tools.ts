import { shorten as cutAt, sliceText } from "../../../lib/text/cut-text.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf, nounFor } from "../../../lib/text/wording.ts";
import { metaToolNames } from "../../../model/catalogue/meta-tools.ts";
import type { SearchRequest } from "../../../model/catalogue/search.ts";
import type { FoundTool, SearchAnswer } from "../../../model/catalogue/search-schema.ts";
import { toolKey } from "../../../model/catalogue/tool-name.ts";
import { isForModels } from "../../../model/catalogue/tool-page.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject, listOrEmpty, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Principal } from "../../../model/principal.ts";
import { showAddress } from "../skills/skills.ts";
import type { Surface } from "../surfaces.ts";
import type { ClientTools, LookUp, Shown } from "./client-tools.ts";

const maxNamed = 5;

/** Servers that have not listed yet and still may. */
async function serversOnTheWay(plane: Plane, principal: Principal): Promise<string[]> {
  const statuses = await plane.servers.list({ principal });
  return statuses
    .filter(({ state, tools }) => state === "connecting" && tools === 0)
    .map(({ name }) => name);
}

function joinServers(names: readonly string[]): string {
  const unnamed = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${unnamed > 0 ? ` and ${unnamed} more` : ""}`;
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
  const lookUp = await client.lookUp();
  const shown = new Set(lookUp.tools.map(({ tool }) => tool.id.server));
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
  const callable = ofServers((await client.lookUp()).tools);
  const listed = toolsToList(callable, server);
  const onTheWay = await serversOnTheWay(plane, surface.principal);
  const late = onTheWay.length === 0 ? "" : ` Still connecting: ${joinServers(onTheWay)}.`;
  if (listed === null) return answerWithServers(callable, late);
  const named = listed.slice(0, maxNames);
  client.show(named);
  const omitted = listed.length - named.length;
  const omittedNote = omitted > 0 ? ` ${omitted} more are found with ${metaToolNames.search}.` : "";
  const pronoun = nounFor(listed.length, "it", "them");
  const message = `${countOf(listed.length, "tool")}. Call ${pronoun} with ${metaToolNames.call}, or load ${pronoun} with ${metaToolNames.search}.${omittedNote}${late}`;
  const limit = plane.config().lazy.summaryDescriptionLimit;
  const tools = named.map(({ shown: name, tool: { id, description } }) => ({
    name,
    server: id.server,
    ...(listed.length <= maxSummaries && { summary: shorten(description, limit) }),
  }));
  const lines = tools.map(({ name, summary }) => `- ${name}${summary ? `: ${summary}` : ""}`);
  const counts = { count: listed.length, totalAvailable: callable.length };
  return answer({ servers: countServers(listed), tools, ...counts, message }, lines);
}

/** Our own tools are not among them. */
function ofServers(shownTools: readonly Shown[]): Shown[] {
  return shownTools.filter(({ tool }) => tool.source !== "builtin" && isForModels(tool));
}

/** Null where there are too many for one list. */
function toolsToList(callable: readonly Shown[], server: unknown): readonly Shown[] | null {
  if (typeof server === "string" && server !== "") return toolsOf(callable, server);
  return callable.length <= fewTools ? callable : null;
}

function answerWithServers(callable: readonly Shown[], late: string) {
  const servers = countServers(callable);
  const message = `${countOf(callable.length, "tool")} of ${countOf(servers.length, "server")}. Give 'server' for its tools, or search with ${metaToolNames.search}.${late}`;
  const lines = servers.map(({ name, tools }) => `- ${name}: ${tools}`);
  return answer({ servers, totalAvailable: callable.length, message }, lines);
}

function answer(structuredContent: UnknownObject & { message: string }, lines: readonly string[]) {
  const text = [structuredContent.message, ...lines].join("\n");
  return { content: [{ type: "text", text }], structuredContent };
}

const serverOf = ({ tool }: Shown) => tool.id.server ?? byHand;

function toolsOf(shownTools: readonly Shown[], server: string): Shown[] {
  const ofServer = shownTools.filter((shownTool) => matchesGlob(server, serverOf(shownTool)));
  if (ofServer.length > 0) return ofServer;
  const names = countServers(shownTools).map(({ name }) => name);
  const serverHint =
    names.length === 0 ? "No server has tools for you." : `There are ${joinServers(names)}.`;
  throw new PlaneError("SERVER_NOT_FOUND", `No server '${server}' has tools. ${serverHint}`, {
    data: { server },
  });
}

function countServers(shownTools: readonly Shown[]): { name: string; tools: number }[] {
  return [...Map.groupBy(shownTools, serverOf)].map(([name, tools]) => ({
    name,
    tools: tools.length,
  }));
}

/** On one line. */
function shorten(description: string, limit: number): string {
  const text = plainText(description).replaceAll(/\s+/g, " ").trim();
  if (text.length <= limit) return text;
  return `${sliceText(text, 0, Math.max(0, limit - 3)).trimEnd()}...`;
}

/** Longer ones are cut, and the schema follows. */
const maxSignature = 300;
const maxValues = 8;
const maxDepth = 2;

type Signature = { text: string; isWhole: boolean };

/** Parameters on one line: a tenth of the schema's tokens, and mostly enough for a call. */
export function renderSignature(schema: JsonObject): Signature {
  const parts: string[] = [];
  let isWhole = !("oneOf" in schema || "anyOf" in schema || "allOf" in schema || "$ref" in schema);
  let length = 0;
  for (const part of members(schema, 0)) {
    length += part.text.length + 2;
    if (length > maxSignature)
      return { text: `${parts.join(", ")}${parts.length > 0 ? ", " : ""}…`, isWhole: false };
    parts.push(part.text);
    isWhole &&= part.isWhole;
  }
  return { text: parts.join(", "), isWhole };
}

/** Required ones first. */
function members({ properties, required }: JsonObject, depth: number): Signature[] {
  if (!isObject(properties)) return [];
  const needed = new Set(listOrEmpty(required));
  const rendered = Object.entries(properties).map(([name, value]) => {
    const { text, isWhole } = renderType(value, depth);
    return {
      isNeeded: needed.has(name),
      text: `${name}${needed.has(name) ? "" : "?"}: ${text}`,
      isWhole,
    };
  });
  return [
    ...rendered.filter(({ isNeeded }) => isNeeded),
    ...rendered.filter(({ isNeeded }) => !isNeeded),
  ];
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
  if (depth >= maxDepth) return { text: "object", isWhole: false };
  const inside = members(schema, depth + 1);
  const text = inside.map((member) => member.text).join(", ");
  return { text: `{${text}}`, isWhole: inside.every(({ isWhole }) => isWhole) };
}

function renderValues(values: readonly unknown[]): Signature {
  const texts = values.slice(0, maxValues).map((value) => JSON.stringify(value));
  const isWhole = values.length <= maxValues;
  if (!isWhole) texts.push("…");
  return { text: texts.join("|"), isWhole };
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
  const lookUp = await client.lookUp("none");
  const matched = answer.tools.flatMap((foundTool) => {
    const shown = lookUp.find(foundTool.name);
    return shown ? [{ foundTool, shown }] : [];
  });
  const nextTools = answer.next.flatMap((name) => lookUp.find(name) ?? []);
  const folded = matched.flatMap(({ foundTool, shown }) => siblingsOf(foundTool, shown, lookUp));
  client.show([...nextTools, ...folded]);
  // What does not fit would only take room in the context.
  const isFitting = answer.fits !== false;
  const autoLoaded = isFitting && (await client.load(matched.map(({ shown }) => shown)));
  const lines = withSchemas(matched);
  const skills = (answer.skills ?? []).map(({ server, uri, name, summary }) => {
    return { name, server, uri: showAddress(server, uri), summary };
  });
  const counts = { shown: lines.length, alike: folded.length };
  const summary = describe(answer, counts, autoLoaded, onTheWay);
  const message = skills.length === 0 ? summary : `${summary} ${howToRead(skills.length)}`;
  const structuredContent = {
    query: answer.query,
    tools: lines,
    next: nextTools.map(({ shown }) => shown),
    ...(skills.length > 0 && { skills }),
    total: answer.total,
    truncated: answer.truncated,
    totalAvailable: ofServers(lookUp.tools).length,
    autoLoaded: autoLoaded && lines.length > 0,
    message,
  };
  return { content: [{ type: "text", text: render(structuredContent) }], structuredContent };
}

/** Tools that share its line. */
function siblingsOf({ alsoOn = [] }: FoundTool, { tool }: Shown, lookUp: LookUp): Shown[] {
  return alsoOn.flatMap(
    (server) => lookUp.byKey(toolKey({ server, tool: tool.id.tool })) ?? lookUp.find(server) ?? [],
  );
}

function withSchemas(matched: readonly { foundTool: FoundTool; shown: Shown }[]): Line[] {
  let room = maxSchema;
  return matched.map(({ foundTool, shown: { shown, tool } }) => {
    const { text, isWhole } = renderSignature(tool.parameters);
    const line = { ...foundTool, name: shown, arguments: text };
    if (isWhole) return line;
    const { length } = JSON.stringify(tool.parameters);
    if (length > room) return line;
    room -= length;
    return { ...line, inputSchema: tool.parameters };
  });
}

type Counts = { shown: number; alike: number };

function describe(
  answer: SearchAnswer,
  counts: Counts,
  autoLoaded: boolean,
  onTheWay: readonly string[],
): string {
  const sentences = [describeFound(answer, counts, autoLoaded)];
  if (answer.note !== undefined) sentences.push(answer.note);
  if (onTheWay.length > 0)
    sentences.push(`Still connecting: ${joinServers(onTheWay)}; search again for what they have.`);
  return sentences.join(" ");
}

function describeFound(
  { query, total, fits }: SearchAnswer,
  { shown: count, alike }: Counts,
  autoLoaded: boolean,
): string {
  const echo = cutAt(query, maxEcho);
  if (count === 0)
    return `No tool was found for '${echo}'. Try other words for the action or its object, or look with ${metaToolNames.list}.`;
  if (fits === false)
    return `Nothing here fits '${echo}'. The nearest ${nounFor(count, "is", "are")} listed, and not loaded.`;
  const purpose = echo === "" ? "" : ` for '${echo}'`;
  return `${count} of ${total} ${nounFor(total, "tool")}${purpose}. ${howToCall(count, autoLoaded)}${tellAlike(alike)}`;
}

/** They share the line of one that is shown, and are not loaded. */
function tellAlike(count: number): string {
  if (count === 0) return "";
  return ` ${count} more ${nounFor(count, "does", "do")} the same on other servers.`;
}

function howToCall(count: number, autoLoaded: boolean): string {
  const [subject, pronoun] = count === 1 ? ["It is", "it"] : ["They are", "them"];
  if (!autoLoaded) return `Call ${pronoun} with ${metaToolNames.call}.`;
  return `${subject} loaded: call ${pronoun} by name, or with ${metaToolNames.call}.`;
}

function howToRead(count: number): string {
  const [subject, pronoun] = count === 1 ? ["A skill tells", "it"] : ["Skills tell", "one"];
  return `${subject} how to do such work: read ${pronoun} first, with ${metaToolNames.call} and its uri as name.`;
}

type ShownSkill = { name: string; uri: string; summary: string };

type Rendered = { message: string; tools: Line[]; next: string[]; skills?: ShownSkill[] };

function render({ message, tools, next, skills = [] }: Rendered): string {
  const lines = tools.map(({ name, arguments: takes, summary, alsoOn, differsBy, inputSchema }) => {
    const alsoOnText = alsoOn && alsoOn.length > 0 ? ` (also on ${alsoOn.join(", ")})` : "";
    const differs = differsBy && differsBy.length > 0 ? ` [${differsBy.join(", ")}]` : "";
    const schema = inputSchema ? `\n  ${JSON.stringify(inputSchema)}` : "";
    return `- ${name}(${takes}): ${summary}${differs}${alsoOnText}${schema}`;
  });
  const texts = skills.map(({ name, uri, summary }) => `- skill ${name} (${uri}): ${summary}`);
  if (next.length > 0) texts.push(`Next: ${next.join(", ")}`);
  return [message, ...lines, ...texts].join("\n");
}
