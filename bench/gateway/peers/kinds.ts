import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Era } from "../load/client.ts";
import type { Program } from "./program.ts";

export type CommandSpec = { name: string; command: string; args: readonly string[] };
export type ServerSpec = CommandSpec | { name: string; url: string };
export type Front = "http" | "stdio";

export type Setup = {
  servers: readonly ServerSpec[];
  port: number;
  directory: string;
  front: Front;
};

/** Arguments for Node, and how its front speaks. */
export type Launch = { args: readonly string[]; speaks: "http" | "sse" | "stdio" };

/** A way of getting a call to the echo server. One without `launch` goes there directly. */
export type Kind = {
  name: string;
  /** What the bars are for. */
  isOurs?: boolean;
  fronts?: readonly Front[];
  behind?: readonly Front[];
  /** What its clients may speak. */
  eras?: readonly Era[];
  /** Passes calls to one server only. */
  isBridge?: boolean;
  /** Of others, and left out where it does not come up. */
  isRival?: boolean;
  launch?(setup: Setup): Launch;
};

const root = join(import.meta.dirname, "..", "..", "..");
const floors = join(import.meta.dirname, "..", "floors");
const both: readonly Front[] = ["http", "stdio"];

function writeJson(directory: string, name: string, value: unknown): string {
  const file = join(directory, name);
  writeFileSync(file, JSON.stringify(value, null, 1));
  return file;
}

function mcpServers(servers: readonly ServerSpec[], more: object = {}): object {
  return Object.fromEntries(servers.map(({ name, ...spec }) => [name, { ...spec, ...more }]));
}

function floor(name: string, script: string, more: object, rest: Partial<Kind> = {}): Kind {
  return {
    name,
    fronts: both,
    behind: both,
    eras: ["legacy", "modern"],
    launch: ({ servers, port, directory, front }) => {
      const config = { front, port, servers, dataDir: join(directory, "data"), ...more };
      return {
        args: [join(floors, script), writeJson(directory, "config.json", config)],
        speaks: front,
      };
    },
    ...rest,
  };
}

export const raw: Kind = {
  name: "raw client",
  fronts: both,
  behind: both,
  eras: ["legacy", "modern"],
};
export const spliceFloor = floor("splice floor", "splice.mjs", {});
export const governedFloor = floor("governed floor", "governed.mjs", {}, { behind: ["stdio"] });

/** The SDK from the rivals, or the one that tests of this project use. */
export function sdkPair(rivals: string | undefined): Kind {
  const found = rivals === undefined ? undefined : findRival(rivals, "@modelcontextprotocol/sdk");
  return floor("SDK pair", "sdk-pair.mjs", { modules: found ?? root }, { eras: ["legacy"] });
}

/** Large results are passed on whole, as by the others, and one client may make all the calls. */
const settings = {
  lazy: { mode: "never" },
  results: { maxInlineBytes: 0 },
  budgets: { maxToolDurationMs: 0 },
};

export type Ours = { fronts?: readonly Front[]; label?: string; words?: readonly string[] };

/** `words` are for `toolplane mcp`, which without `--standalone` attaches to a plane in the background. */
export function toolplane(
  { name, bin }: Program,
  { fronts = ["http"], label = "", words = [] }: Ours = {},
): Kind {
  return {
    name: `${name} ${label}`.trim(),
    isOurs: true,
    fronts,
    behind: both,
    eras: ["legacy", "modern"],
    launch: ({ servers, port, directory, front }) => {
      const config = writeJson(directory, "toolplane.json", {
        mcpServers: mcpServers(servers),
        ...settings,
      });
      const command =
        front === "http" ? ["serve", "--port", String(port)] : ["mcp", "--mode", "full", ...words];
      return {
        args: [bin, ...command, "--data-dir", join(directory, "data"), "--config", config],
        speaks: front,
      };
    },
  };
}

/** Installed together, or each in a directory with its name. Returns the directory with its `node_modules`. */
function findRival(rivals: string, name: string): string | undefined {
  const places = [resolve(rivals), resolve(rivals, name.split("/").at(-1) ?? name)];
  return places.find((place) => existsSync(join(place, "node_modules", name)));
}

/** The others that are installed in this directory. */
export function rivalsIn(rivals: string | undefined): Kind[] {
  if (rivals === undefined) return [];
  const known: Record<string, (file: (...path: string[]) => string) => Omit<Kind, "name">> = {
    "mcp-hub": (file) => ({
      behind: both,
      launch: (setup) => launchHub(file("dist", "cli.js"), setup),
    }),
    "mcp-proxy": (file) => ({
      isBridge: true,
      eras: ["legacy", "modern"],
      launch: ({ servers: [server], port }) => {
        const options = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--"];
        return {
          args: [file("dist", "bin", "mcp-proxy.mjs"), ...options, ...commandOf(server)],
          speaks: "http",
        };
      },
    }),
    supergateway: (file) => ({
      isBridge: true,
      eras: ["legacy", "modern"],
      launch: ({ servers: [server], port }) => {
        const options = [
          "--outputTransport",
          "streamableHttp",
          "--stateful",
          "--port",
          String(port),
          "--logLevel",
          "none",
        ];
        return {
          args: [file("dist", "index.js"), "--stdio", commandOf(server).join(" "), ...options],
          speaks: "http",
        };
      },
    }),
    mcporter: (file) => ({
      fronts: both,
      behind: both,
      launch: ({ servers, port, directory, front }) => {
        const config = {
          mcpServers: mcpServers(servers, { lifecycle: "keep-alive" }),
          imports: [],
        };
        const words = ["serve", ...(front === "http" ? ["--http", String(port)] : ["--stdio"])];
        const path = writeJson(directory, "mcporter.json", config);
        return { args: [file("dist", "cli.js"), "--config", path, ...words], speaks: front };
      },
    }),
  };
  return Object.entries(known).flatMap(([name, kindOf]) => {
    const place = findRival(rivals, name);
    if (place === undefined) return [];
    const home = join(place, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    return [
      { name: `${name} ${version}`, isRival: true, ...kindOf((...path) => join(home, ...path)) },
    ];
  });
}

function commandOf(server: ServerSpec | undefined): string[] {
  if (server === undefined || "url" in server)
    throw new Error("a bridge needs one server with a command");
  return [server.command, ...server.args];
}

/** Its marketplace is there already, so that no request to the internet is part of the start. */
function launchHub(cli: string, { servers, port, directory }: Setup): Launch {
  const marketplace = {
    version: "1",
    generatedAt: Date.now(),
    totalServers: 1,
    servers: [{ id: "x", name: "x" }],
  };
  for (const place of ["cache/mcp-hub/cache", ".mcp-hub/cache", "data/mcp-hub/cache"]) {
    mkdirSync(join(directory, place), { recursive: true });
    const cached = { registry: marketplace, lastFetchedAt: Date.now(), serverDocumentation: {} };
    writeJson(join(directory, place), "registry.json", cached);
  }
  const config = writeJson(directory, "servers.json", { mcpServers: mcpServers(servers) });
  return { args: [cli, "--port", String(port), "--config", config], speaks: "sse" };
}
