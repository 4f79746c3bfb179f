type Entry = Record<string, unknown>;
export type PastedServer = { name: string; definition: Entry };

/** Where clients keep their servers. */
const sections = ["mcpServers", "servers", "context_servers", "mcp_servers", "amp.mcpServers"];

/**
 * The servers in what somebody copied from the configuration of any client: the whole file, its map of servers, or one
 * entry with its name. With comments and commas at the end, as people write them.
 */
export function parsePastedServers(text: string): PastedServer[] {
  const parsed = parseLoosely(text);
  const found = serversIn(parsed);
  if (found.length === 0)
    throw new Error(
      'There is no server in it. Paste something like {"mcpServers": {"files": {"command": "npx", "args": […]}}}.',
    );
  return found;
}

function serversIn(value: unknown, depth = 0): PastedServer[] {
  if (!isEntry(value) || depth > 3) return [];
  for (const section of sections) {
    const inner = value[section];
    if (Array.isArray(inner)) return inner.flatMap(named);
    if (isEntry(inner)) return serversIn(inner, depth + 1);
  }
  const own = Object.entries(value).flatMap(([name, entry]) =>
    isServer(entry) ? [toServer(name, entry)] : [],
  );
  if (own.length > 0) return own;
  if (isServer(value)) return named(value);
  return Object.values(value).flatMap((inner) => serversIn(inner, depth + 1));
}

const named = (entry: unknown): PastedServer[] =>
  isServer(entry) ? [toServer(typeof entry.name === "string" ? entry.name : "server", entry)] : [];

function toServer(name: string, entry: Entry): PastedServer {
  const { command, serverUrl, httpUrl, type, name: _, source: _source, disabled, ...rest } = entry;
  const nested = isEntry(command)
    ? { command: command.path, args: command.args, env: command.env }
    : { command };
  const url = entry.url ?? serverUrl ?? httpUrl;
  const transport = typeof type === "string" && /sse/i.test(type) ? { transport: "sse" } : {};
  const definition = {
    ...rest,
    ...(nested.command === undefined ? { url, ...transport } : nested),
    ...(disabled === true ? { enabled: false } : {}),
  };
  return {
    name,
    definition: Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined)),
  };
}

function isServer(value: unknown): value is Entry {
  if (!isEntry(value)) return false;
  const { command, url, serverUrl, httpUrl } = value;
  const hasCommand = typeof command === "string" || (isEntry(command) && typeof command.path === "string");
  return hasCommand || [url, serverUrl, httpUrl].some((address) => typeof address === "string");
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseLoosely(text: string): unknown {
  const plain = withoutComments(text).trim().replace(/,$/, "");
  const candidates = [plain, `{${plain}}`];
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

/** Texts are kept as they are, whatever looks like a comment in them. */
function withoutComments(text: string): string {
  return text.replaceAll(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*(?:\/\/[^\n]*\s*)*[}\]])/g,
    (_, kept: string | undefined) => kept ?? "",
  );
}
