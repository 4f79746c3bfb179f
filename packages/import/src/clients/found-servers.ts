import { type FoundServers, isOurselves, parseJson } from "@toolplane/core/config/editing";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import { PlaneError } from "@toolplane/core/model/errors";
import { type JsonObject, type Path, renderPath } from "@toolplane/core/model/json";
import { type ClientPlace, clientFiles, type Where } from "./client-files.ts";
import { type ClientEntry, ClientText } from "./client-text.ts";
import { type ClientName, clientNames, clientOf } from "./clients.ts";
import { freeNameFor, inputsOf } from "./import-clients.ts";
import { translateEntry } from "./translate-entry.ts";

type FoundServer = {
  name: string;
  key: string;
  file: string;
  definition: JsonObject;
  /** Where it stands in the file. */
  path: Path;
  clients: string[];
};

type Findings = {
  servers: FoundServer[];
  problems: FoundServers["problems"];
  lines: Map<string, (path: Path) => number | null>;
};

/** The servers in the user's own files of all clients. Equal ones are one, whatever each client calls it. */
export function findServers(where: Where): FoundServers {
  const findings: Findings = { servers: [], problems: [], lines: new Map() };
  const seenPaths = new Set<string>();
  for (const client of clientNames()) {
    for (const file of clientFiles(client, where)) {
      if (file.scope === "user" && !seenPaths.has(file.path))
        readClientFile(findings, client, file, where);
      seenPaths.add(file.path);
    }
  }
  const { servers, problems, lines } = findings;
  const files = [...new Set(servers.map(({ file }) => file))];
  return {
    documents: files.map((file) => documentOf(file, servers, lines.get(file) ?? (() => null))),
    problems,
    foundIn: Object.fromEntries(servers.map(({ name, clients }) => [name, clients])),
  };
}

function readClientFile(
  findings: Findings,
  client: ClientName,
  file: ClientPlace,
  where: Where,
): void {
  const { problems, lines } = findings;
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
  for (const { name, entry, section } of entries) {
    const path = [...section, name];
    const translated = translateEntry(entry, source);
    if ("reason" in translated) {
      const line = lines.get(file.path)?.(path) ?? null;
      const message = `it is left out, and only ${clientOf(client).title} may know more: ${translated.reason}`;
      problems.push({
        file: file.path,
        line,
        path: renderPath(path),
        severity: "warning",
        message,
        hint: null,
      });
      continue;
    }
    const { definition } = translated;
    if (isOurselves(name, definition)) continue;
    addFound(
      findings.servers,
      { name, definition, path, file: file.path, key: keyOf(definition) },
      client,
    );
  }
}

/** Of two that are equal the one that is switched on counts. */
function addFound(
  servers: FoundServer[],
  server: Omit<FoundServer, "clients">,
  client: ClientName,
): void {
  const { name, key, definition } = server;
  const { title } = clientOf(client);
  const labelFor = (listedName: string) => (listedName === name ? title : `${title} as '${name}'`);
  const duplicate = servers.find((present) => present.key === key);
  if (duplicate === undefined) {
    const uniqueName = freeNameFor(name, client, (candidate) =>
      servers.some((present) => present.name === candidate),
    );
    servers.push({
      ...server,
      name: uniqueName,
      clients: [labelFor(uniqueName)],
    });
    return;
  }
  const clientLabel = labelFor(duplicate.name);
  if (!duplicate.clients.includes(clientLabel)) duplicate.clients.push(clientLabel);
  if (duplicate.definition.enabled === false && definition.enabled !== false)
    Object.assign(duplicate, { definition, file: server.file, path: server.path });
}

/** What is started or reached. How long a client waits and which tools it shows makes no other server. */
function keyOf({ command, args, env, cwd, url, transport, headers }: JsonObject): string {
  return stableJson([command, args, env, cwd, url, transport, headers].map((part) => part ?? null));
}

function documentOf(
  file: string,
  foundServers: readonly FoundServer[],
  lineOf: (path: Path) => number | null,
): FoundServers["documents"][number] {
  const servers = foundServers.filter((server) => server.file === file);
  const mcpServers: Record<string, JsonObject> = Object.create(null);
  for (const { name, definition } of servers) mcpServers[name] = definition;
  return {
    file,
    data: { mcpServers },
    lineOf([section, name, ...inner]) {
      if (section !== "mcpServers") return null;
      const server = servers.find((candidate) => candidate.name === name);
      if (server === undefined) return null;
      return lineOf([...server.path, ...inner]) ?? lineOf(server.path);
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
  const [, position] = /^.*?:(\d+(?::\d+)?): /s.exec(thrown.message) ?? [];
  const start = position === undefined ? `${file} ` : `${file}:${position}: `;
  const message = thrown.message.startsWith(start)
    ? thrown.message.slice(start.length)
    : thrown.message;
  const hint = `The servers of ${clientOf(client).title} in this file are left out until it is corrected.`;
  return { file, line, path: "", severity: "error", message, hint };
}
