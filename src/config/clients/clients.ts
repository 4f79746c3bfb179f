import { join } from "node:path";
import type { JsonObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";

/** The machine whose clients are meant. */
export type Where = {
  platform: NodeJS.Platform;
  home: string;
  /** The project: clients keep some servers for one folder only. */
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

/** A file where a client keeps servers; its extension tells the format. */
export type ClientFile = {
  path: string;
  /** `legacy` files are read and never written. */
  scope: "user" | "project" | "legacy";
  /** The maps of servers in the file, the one for new servers first. */
  places: readonly Path[];
};

type Client = {
  title: string;
  /**
   * User files before project files. Of several user files the client reads the first that exists, and the last
   * is the one it creates.
   */
  files(where: Where): ClientFile[];
  /** A server we offer, in the words of the client; null when it cannot use one of that kind. */
  entryFor(server: JsonObject): JsonObject | null;
};

const standard: readonly Path[] = [["mcpServers"]];
const vscodeSettings: readonly Path[] = [["mcp", "servers"], ["mcp.servers"]];

export const clients = {
  "claude-desktop": {
    title: "Claude Desktop",
    files: (where) =>
      claudeDesktopFolders(where).map((folder) => user(standard, folder, "claude_desktop_config.json")),
    entryFor: (server) => (server.url === undefined ? server : null),
  },
  "claude-code": {
    title: "Claude Code",
    files: (where) => [
      user(
        [...standard, ...sameFolder(where).map((folder) => ["projects", folder, "mcpServers"])],
        where.environment.CLAUDE_CONFIG_DIR || where.home,
        ".claude.json",
      ),
      project(standard, where, ".mcp.json"),
    ],
    entryFor: typed,
  },
  cursor: {
    title: "Cursor",
    files: (where) => [
      user(standard, where.home, ".cursor", "mcp.json"),
      project(standard, where, ".cursor", "mcp.json"),
    ],
    entryFor: (server) => server,
  },
  vscode: {
    title: "VS Code",
    files: (where) => {
      const folder = join(applicationData(where), "Code", "User");
      return [
        user([["servers"]], folder, "mcp.json"),
        { path: join(folder, "settings.json"), scope: "legacy", places: vscodeSettings },
        project([["servers"]], where, ".vscode", "mcp.json"),
        project(vscodeSettings, where, ".vscode", "settings.json"),
      ];
    },
    entryFor: typed,
  },
  windsurf: {
    title: "Windsurf",
    files: (where) => [user(standard, where.home, ".codeium", "windsurf", "mcp_config.json")],
    entryFor: (server) => renamed(server, { url: "serverUrl" }),
  },
  codex: {
    title: "Codex",
    files: (where) => [
      user([["mcp_servers"]], where.environment.CODEX_HOME || join(where.home, ".codex"), "config.toml"),
      project([["mcp_servers"]], where, ".codex", "config.toml"),
    ],
    entryFor: (server) => renamed(server, { headers: "http_headers" }),
  },
  zed: {
    title: "Zed",
    files: (where) => [
      user([["context_servers"]], zedFolder(where), "settings.json"),
      project([["context_servers"]], where, ".zed", "settings.json"),
    ],
    // `source` tells a server of the user from one that an extension brought (Zed, since June 2025).
    entryFor: (server) => ({ source: "custom", ...server }),
  },
  gemini: {
    title: "Gemini CLI",
    files: (where) => [
      user(standard, where.home, ".gemini", "settings.json"),
      project(standard, where, ".gemini", "settings.json"),
    ],
    entryFor: (server) => renamed(server, { url: "httpUrl" }),
  },
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof clients;

export function clientNames(): ClientName[] {
  return Object.keys(clients) as ClientName[];
}

export function clientOf(name: ClientName): Client {
  return clients[name];
}

function user(places: readonly Path[], ...parts: string[]): ClientFile {
  return { path: join(...parts), scope: "user", places };
}

function project(places: readonly Path[], where: Where, ...parts: string[]): ClientFile {
  return { path: join(where.directory, ...parts), scope: "project", places };
}

/** Where programs of the desktop keep their settings. */
function applicationData({ platform, home, environment }: Where): string {
  if (platform === "win32") return environment.APPDATA || join(home, "AppData", "Roaming");
  if (platform === "darwin") return join(home, "Library", "Application Support");
  return environment.XDG_CONFIG_HOME || join(home, ".config");
}

/** From the Microsoft Store, Claude reads its own copy of the folder before the common one. */
function claudeDesktopFolders(where: Where): string[] {
  const common = join(applicationData(where), "Claude");
  if (where.platform !== "win32") return [common];
  const local = where.environment.LOCALAPPDATA || join(where.home, "AppData", "Local");
  return [join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude"), common];
}

/** On macOS Zed uses `~/.config` as well. */
function zedFolder(where: Where): string {
  const { platform, home, environment } = where;
  if (platform === "win32") return join(applicationData(where), "Zed");
  if (platform === "darwin") return join(home, ".config", "zed");
  return join(environment.FLATPAK_XDG_CONFIG_HOME || applicationData(where), "zed");
}

/** Claude Code writes the folders of Windows with either kind of slash. */
function sameFolder({ platform, directory }: Where): string[] {
  return platform === "win32"
    ? [...new Set([directory.replaceAll("\\", "/"), directory.replaceAll("/", "\\"), directory])]
    : [directory];
}

function typed(server: JsonObject): JsonObject {
  return { type: server.url === undefined ? "stdio" : "http", ...server };
}

function renamed(server: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(server).map(([key, value]) => [names[key] ?? key, value]));
}
