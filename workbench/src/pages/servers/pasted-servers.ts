type Entry = Record<string, unknown>;
export type PastedServer = { name: string; definition: Entry };
/** `leftOut`: entries that cannot be imported, and why. */
export type Pasted = { servers: PastedServer[]; leftOut: { name: string; reason: string }[] };
type Candidate = { name: string; entry: unknown };

/** Where clients keep their servers. */
const sections = ["mcpServers", "servers", "context_servers", "mcp_servers", "amp.mcpServers"];

/**
 * The servers in JSON copied from any client's configuration: the whole file, its map of servers, or one named entry.
 * Comments and trailing commas are allowed.
 */
export function parsePastedServers(text: string): Pasted {
  const pasted: Pasted = { servers: [], leftOut: [] };
  for (const { name, entry } of candidatesIn(parseLoosely(text))) {
    const reason = whyNot(entry);
    if (reason !== null) pasted.leftOut.push({ name, reason });
    else pasted.servers.push(toServer(name, entry as Entry));
  }
  if (pasted.servers.length + pasted.leftOut.length === 0)
    throw new Error(
      'No server found. Paste something like {"mcpServers": {"files": {"command": "npx", "args": […]}}}.',
    );
  return pasted;
}

function candidatesIn(value: unknown, depth = 0): Candidate[] {
  if (!isEntry(value) || depth > 3) return [];
  for (const section of sections) {
    const inner = value[section];
    if (Array.isArray(inner)) return inner.map(toCandidate);
    if (isEntry(inner)) return Object.entries(inner).map(([name, entry]) => ({ name, entry }));
  }
  const namedServers = Object.entries(value).flatMap(([name, entry]) =>
    isServer(entry) ? [{ name, entry }] : [],
  );
  if (namedServers.length > 0) return namedServers;
  if (isServer(value)) return [toCandidate(value)];
  return Object.values(value).flatMap((inner) => candidatesIn(inner, depth + 1));
}

const toCandidate = (entry: unknown): Candidate => ({
  name: isEntry(entry) && typeof entry.name === "string" ? entry.name : "server",
  entry,
});

/** Why an entry cannot be imported; null if it can. */
function whyNot(entry: unknown): string | null {
  if (!isServer(entry)) return "it has neither a command nor a url";
  const [inputVariable] = /\$\{input:[^{}]*\}/.exec(JSON.stringify(entry)) ?? [];
  if (inputVariable === undefined) return null;
  return `its client prompts for ${inputVariable}; write \${NAME} and set that variable`;
}

/** Clients write environment variables in two ways. */
const withOurVariables = (entry: Entry) =>
  JSON.parse(JSON.stringify(entry).replaceAll(/\$\{env:(\w+)\}/g, "${$1}")) as Entry;

function toServer(name: string, clientEntry: Entry): PastedServer {
  const entry = withOurVariables(clientEntry);
  const {
    command,
    serverUrl,
    httpUrl,
    type,
    name: _,
    source: _source,
    disabled,
    environment,
    ...otherKeys
  } = entry;
  const settings = isEntry(environment) ? { env: environment, ...otherKeys } : otherKeys;
  const program = programOf(command);
  const url = entry.url ?? serverUrl ?? httpUrl;
  const transport = typeof type === "string" && /sse/i.test(type) ? { transport: "sse" } : {};
  const definition = {
    ...settings,
    ...(program.command === undefined ? { url, ...transport } : program),
    ...(disabled === true && { enabled: false }),
  };
  return {
    name,
    definition: Object.fromEntries(
      Object.entries(definition).filter(([, value]) => value !== undefined),
    ),
  };
}

/** A program with its arguments in one object or list, or its name alone. */
function programOf(command: unknown): Entry {
  if (Array.isArray(command)) return { command: command[0], args: command.slice(1) };
  if (!isEntry(command)) return { command };
  return { command: command.path, args: command.args, env: command.env };
}

function isServer(value: unknown): value is Entry {
  if (!isEntry(value)) return false;
  const { command, url, serverUrl, httpUrl, openapi } = value;
  const { command: program } = programOf(command);
  const hasCommand = typeof program === "string" && program !== "";
  return (
    hasCommand || [url, serverUrl, httpUrl, openapi].some((address) => typeof address === "string")
  );
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseLoosely(text: string): unknown {
  const plainText = withoutComments(text).trim().replace(/,$/, "");
  const candidates = [plainText, `{${plainText}}`];
  let problem: unknown;
  for (const candidate of candidates) {
    try {
      return JSON.parse(candidate);
    } catch (thrown) {
      problem ??= thrown;
    }
  }
  throw new Error(`This is not JSON: ${(problem as Error).message}.`);
}

/** Skips strings, so that comment markers in them stay. What is not closed reaches to the end, so that no search repeats. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:\\[\s\S]|[^"\\])*(?:"|$))|\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|,(?=\s*(?:\/\/[^\n]*\n\s*)*[}\]])/g,
    (_, stringLiteral: string | undefined) => stringLiteral ?? "",
  );
}
