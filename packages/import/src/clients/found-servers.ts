import { type FoundServers, isOurselves, parseJson } from "../../../../src/config/editing.ts";
import { stableJson } from "../../../../src/lib/json/stable-json.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import { type JsonObject, type Path, renderPath } from "../../../../src/model/json.ts";
import { type ClientPlace, clientFiles, type Where } from "./client-files.ts";
import { type ClientEntry, ClientText } from "./client-text.ts";
import { type ClientName, clientNames, clientOf } from "./clients.ts";
import { freeNameFor, inputsOf } from "./import-clients.ts";
import { translateEntry } from "./translate-entry.ts";

type Found = {
  name: string;
  key: string;
  file: string;
  definition: JsonObject;
  /** Where it stands in the file. */
  at: Path;
  clients: string[];
};

type Looking = {
  found: Found[];
  problems: FoundServers["problems"];
  lines: Map<string, (path: Path) => number | null>;
};

/** The servers in the user's own files of all clients. Equal ones are one, whatever each client calls it. */
export function findServers(where: Where): FoundServers {
  const looking: Looking = { found: [], problems: [], lines: new Map() };
  const seen = new Set<string>();
  for (const client of clientNames()) {
    for (const file of clientFiles(client, where)) {
      if (file.scope === "user" && !seen.has(file.path)) lookInto(looking, client, file, where);
      seen.add(file.path);
    }
  }
  const { found, problems, lines } = looking;
  const files = [...new Set(found.map(({ file }) => file))];
  return {
    documents: files.map((file) => documentOf(file, found, lines.get(file) ?? (() => null))),
    problems,
    foundIn: Object.fromEntries(found.map(({ name, clients }) => [name, clients])),
  };
}

function lookInto(looking: Looking, client: ClientName, file: ClientPlace, where: Where): void {
  const { problems, lines } = looking;
  let text: ClientText;
  let entries: ClientEntry[];
  try {
    text = ClientText.read(file);
    entries = text.entries();
  } catch (thrown) {
    problems.push(unreadable(client, file.path, thrown));
    return;
  }
  if (entries.length === 0) return;
  if (/\.jsonc?$/.test(file.path))
    lines.set(
      file.path,
      (path) => parseJson(file.path, text.text ?? "").document?.lineOf(path) ?? null,
    );
  const source = {
    client,
    where,
    workspace: null,
    keepsFolder: true,
    inputs: inputsOf(text.data),
  } as const;
  for (const { name, entry, place } of entries) {
    const at = [...place, name];
    const translated = translateEntry(entry, source);
    if ("reason" in translated) {
      const line = lines.get(file.path)?.(at) ?? null;
      const message = `it is left out, and only ${clientOf(client).title} may know more: ${translated.reason}`;
      problems.push({
        file: file.path,
        line,
        path: renderPath(at),
        severity: "warning",
        message,
        hint: null,
      });
      continue;
    }
    const { definition } = translated;
    if (isOurselves(name, definition)) continue;
    addFound(
      looking.found,
      { name, definition, at, file: file.path, key: keyOf(definition) },
      client,
    );
  }
}

/** Of two that are equal the one that is switched on counts. */
function addFound(found: Found[], server: Omit<Found, "clients">, client: ClientName): void {
  const { name, key, definition } = server;
  const { title } = clientOf(client);
  const same = found.find((other) => other.key === key);
  if (same === undefined) {
    const free = freeNameFor(name, client, (taken) => found.some((other) => other.name === taken));
    found.push({
      ...server,
      name: free,
      clients: [free === name ? title : `${title} as '${name}'`],
    });
    return;
  }
  const said = same.name === name ? title : `${title} as '${name}'`;
  if (!same.clients.includes(said)) same.clients.push(said);
  if (same.definition.enabled === false && definition.enabled !== false)
    Object.assign(same, { definition, file: server.file, at: server.at });
}

/** What is started or reached. How long a client waits and which tools it shows makes no other server. */
function keyOf({ command, args, env, cwd, url, transport, headers }: JsonObject): string {
  return stableJson([command, args, env, cwd, url, transport, headers].map((part) => part ?? null));
}

function documentOf(
  file: string,
  found: readonly Found[],
  lineOf: (path: Path) => number | null,
): FoundServers["documents"][number] {
  const servers = found.filter((one) => one.file === file);
  const mcpServers: Record<string, JsonObject> = Object.create(null);
  for (const { name, definition } of servers) mcpServers[name] = definition;
  return {
    file,
    data: { mcpServers },
    lineOf([section, name, ...inner]) {
      const server =
        section === "mcpServers" ? servers.find((one) => one.name === name) : undefined;
      return server === undefined ? null : (lineOf([...server.at, ...inner]) ?? lineOf(server.at));
    },
  };
}

function unreadable(
  client: ClientName,
  file: string,
  thrown: unknown,
): FoundServers["problems"][number] {
  if (!(thrown instanceof PlaneError)) throw thrown;
  const { line = null } = thrown.data as { line?: number | null };
  const [, place] = /^.*?:(\d+(?::\d+)?): /s.exec(thrown.message) ?? [];
  const start = place === undefined ? `${file} ` : `${file}:${place}: `;
  const message = thrown.message.startsWith(start)
    ? thrown.message.slice(start.length)
    : thrown.message;
  const hint = `The servers of ${clientOf(client).title} in this file are left out until it is corrected.`;
  return { file, line, path: "", severity: "error", message, hint };
}
