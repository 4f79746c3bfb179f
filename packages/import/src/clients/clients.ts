import { nearest, suggestionOf } from "@toolplane/core/lib/text/nearest";
import { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject, Path } from "@toolplane/core/model/json";
import { foreignSources } from "./foreign-configs.ts";

/**
 * A file of a client. `~` is the home directory, `{appData}` the folder for settings of desktop programs,
 * `{NAME:path}` a variable with its default; a project's file is relative to the project.
 */
export type FileSpec = {
  /** One path, or one for each platform that has the file. */
  path: string | Partial<Record<"linux" | "darwin" | "win32", string>>;
  /** The maps or lists of servers, the one for new servers first; `{directory}` is the project's folder. */
  places?: readonly Path[];
  isList?: true;
  /** Written only where it is there already. */
  ifPresent?: true;
  isLegacy?: true;
};

/** How a client writes a server, where it differs from the usual `command`, `args`, `env`, `url`, `headers`. */
export type EntryFormat = {
  names?: Readonly<Record<string, string>>;
  /** The value of `type` for a command and for a url. */
  types?: { stdio?: string; http?: string };
  extra?: JsonObject;
  /** `command` is a list that holds the arguments too. */
  isCommandList?: true;
  hasNoUrls?: true;
  /** The unit of `timeout`. */
  timeoutUnitMs?: number;
  /** References beside `${NAME}`: `$NAME`, `{env:NAME}`, `${{ secrets.NAME }}`. */
  references?: "dollar" | "braces" | "secrets";
};

export type ClientSpec = {
  title: string;
  /** In order of preference: the first that exists is written, or the first without `ifPresent`. */
  user: readonly FileSpec[];
  project?: readonly FileSpec[];
  places?: readonly Path[];
  dialect?: EntryFormat;
  /** A folder that is there when the client is, where that of its file tells nothing. */
  folder?: string;
};

export const standardPlaces: readonly Path[] = [["mcpServers"]];
const vscodeSettings: readonly Path[] = [["mcp", "servers"], ["mcp.servers"]];
const vscodeStorage = "{appData}/Code/User/globalStorage";
const storeClaude =
  "{LOCALAPPDATA:~/AppData/Local}/Packages/Claude_pzs8sxrjxfjjc/LocalCache/Roaming/Claude";

export const clients = {
  "claude-desktop": {
    title: "Claude Desktop",
    user: [
      // From the Microsoft Store, Claude reads its own copy of the folder before the common one.
      { path: { win32: `${storeClaude}/claude_desktop_config.json` }, ifPresent: true },
      { path: "{appData}/Claude/claude_desktop_config.json" },
    ],
    dialect: { hasNoUrls: true },
  },
  "claude-code": {
    title: "Claude Code",
    user: [
      {
        path: "{CLAUDE_CONFIG_DIR:~}/.claude.json",
        places: [...standardPlaces, ["projects", "{directory}", "mcpServers"]],
      },
    ],
    project: [{ path: ".mcp.json" }],
    dialect: { types: { stdio: "stdio", http: "http" } },
    folder: "{CLAUDE_CONFIG_DIR:~/.claude}",
  },
  cursor: {
    title: "Cursor",
    user: [{ path: "~/.cursor/mcp.json" }],
    project: [{ path: ".cursor/mcp.json" }],
  },
  vscode: {
    title: "VS Code",
    user: [
      { path: "{appData}/Code/User/mcp.json" },
      { path: "{appData}/Code/User/settings.json", places: vscodeSettings, isLegacy: true },
    ],
    project: [
      { path: ".vscode/mcp.json" },
      { path: ".vscode/settings.json", places: vscodeSettings, isLegacy: true },
    ],
    places: [["servers"]],
    dialect: { types: { stdio: "stdio", http: "http" } },
  },
  windsurf: {
    title: "Windsurf",
    user: [{ path: "~/.codeium/windsurf/mcp_config.json" }],
    dialect: { names: { url: "serverUrl" } },
  },
  codex: {
    title: "Codex",
    user: [{ path: "{CODEX_HOME:~/.codex}/config.toml" }],
    project: [{ path: ".codex/config.toml" }],
    places: [["mcp_servers"]],
    dialect: { names: { headers: "http_headers" } },
  },
  zed: {
    title: "Zed",
    user: [
      {
        path: {
          linux: "{FLATPAK_XDG_CONFIG_HOME:{appData}}/zed/settings.json",
          darwin: "~/.config/zed/settings.json",
          win32: "{appData}/Zed/settings.json",
        },
      },
    ],
    project: [{ path: ".zed/settings.json" }],
    places: [["context_servers"]],
    // `source` tells a server of the user from one that an extension brought (Zed, since June 2025).
    dialect: { extra: { source: "custom" } },
  },
  gemini: {
    title: "Gemini CLI",
    user: [{ path: "~/.gemini/settings.json" }],
    project: [{ path: ".gemini/settings.json" }],
    dialect: { names: { url: "httpUrl" }, references: "dollar" },
  },
  opencode: {
    title: "OpenCode",
    user: [
      { path: "{XDG_CONFIG_HOME:~/.config}/opencode/opencode.jsonc", ifPresent: true },
      { path: "{XDG_CONFIG_HOME:~/.config}/opencode/opencode.json" },
    ],
    project: [
      { path: "opencode.jsonc", ifPresent: true },
      { path: ".opencode/opencode.jsonc", ifPresent: true },
      { path: ".opencode/opencode.json", ifPresent: true },
      { path: "opencode.json" },
    ],
    // Version 2 keeps servers one level deeper and still reads those of version 1.
    places: [["mcp"], ["mcp", "servers"]],
    dialect: {
      names: { env: "environment" },
      types: { stdio: "local", http: "remote" },
      isCommandList: true,
      references: "braces",
    },
  },
  cline: {
    title: "Cline",
    user: [
      { path: "~/.cline/data/settings/cline_mcp_settings.json" },
      {
        path: `${vscodeStorage}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json`,
        ifPresent: true,
      },
    ],
    dialect: { types: { http: "streamableHttp" }, timeoutUnitMs: 1000 },
  },
  roo: {
    title: "Roo Code",
    user: [{ path: `${vscodeStorage}/rooveterinaryinc.roo-cline/settings/mcp_settings.json` }],
    project: [{ path: ".roo/mcp.json" }],
    dialect: { types: { http: "streamable-http" }, timeoutUnitMs: 1000 },
  },
  goose: {
    title: "goose",
    user: [
      {
        path: {
          linux: "{XDG_CONFIG_HOME:~/.config}/goose/config.yaml",
          darwin: "~/.config/goose/config.yaml",
          win32: "{appData}/Block/goose/config/config.yaml",
        },
      },
    ],
    places: [["extensions"]],
    dialect: {
      names: { command: "cmd", env: "envs", url: "uri" },
      types: { stdio: "stdio", http: "streamable_http" },
      extra: { name: "toolplane", description: "Toolplane", enabled: true, timeout: 300 },
      timeoutUnitMs: 1000,
    },
  },
  continue: {
    title: "Continue",
    user: [{ path: "~/.continue/config.yaml", isList: true }],
    project: [{ path: ".continue/mcpServers/mcp.json" }],
    dialect: { types: { stdio: "stdio", http: "streamable-http" }, references: "secrets" },
  },
  amp: {
    title: "Amp",
    user: [
      { path: "~/.config/amp/settings.jsonc", ifPresent: true },
      { path: "~/.config/amp/settings.json" },
    ],
    project: [{ path: ".amp/settings.jsonc", ifPresent: true }, { path: ".amp/settings.json" }],
    places: [["amp.mcpServers"]],
  },
  jetbrains: {
    title: "JetBrains Junie",
    user: [{ path: "~/.junie/mcp/mcp.json" }],
    project: [{ path: ".junie/mcp/mcp.json" }],
    folder: "~/.junie",
  },
  "copilot-cli": {
    title: "GitHub Copilot CLI",
    user: [{ path: "{COPILOT_HOME:~/.copilot}/mcp-config.json" }],
    project: [{ path: ".github/mcp.json" }],
    dialect: {
      types: { stdio: "local", http: "http" },
      extra: { tools: ["*"] },
      references: "dollar",
    },
  },
  lmstudio: {
    title: "LM Studio",
    user: [
      { path: "~/.lmstudio/mcp.json" },
      { path: "~/.cache/lm-studio/mcp.json", ifPresent: true },
    ],
  },
  kiro: {
    title: "Kiro",
    user: [{ path: "~/.kiro/settings/mcp.json" }],
    project: [{ path: ".kiro/settings/mcp.json" }],
    folder: "~/.kiro",
  },
  antigravity: {
    title: "Antigravity",
    user: [
      { path: "~/.gemini/config/mcp_config.json" },
      { path: "~/.gemini/antigravity/mcp_config.json", ifPresent: true },
    ],
    project: [{ path: ".agents/mcp_config.json" }],
    dialect: { names: { url: "serverUrl" } },
    folder: "~/.gemini/antigravity",
  },
} as const satisfies Record<string, ClientSpec>;

export type ClientName = keyof typeof clients;

export function clientNames(): ClientName[] {
  return Object.keys(clients) as ClientName[];
}

/** A program that is no client has no files and no dialect. */
export function clientOf(name: string): ClientSpec {
  if (Object.hasOwn(clients, name)) return clients[name as ClientName];
  return { title: name, user: [] };
}

export function knownClient(name: string): ClientName {
  const names = clientNames();
  const client = names.find((clientName) => clientName === name);
  if (client !== undefined) return client;
  const isForeign = foreignSources.includes(name.toLowerCase());
  const hint = isForeign
    ? " Name the file that has its servers: toolplane import FILE."
    : suggestionOf(nearest(name, names, 1));
  throw new PlaneError("USAGE", `No client '${name}'.${hint} Known: ${names.join(", ")}.`, {
    data: { client: name, known: names },
  });
}
