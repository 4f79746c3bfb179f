type TransportFacts = {
  /** In files of ours and of others. */
  spellings: readonly string[];
  /** Of the addresses that it connects to. */
  schemes: readonly string[];
  /** It runs on this machine: all users share a session by default, and there is no sign-in. */
  isLocal: boolean;
  /** Its row in docs/servers.md; null where no configuration names it. */
  document: { entry: string; opens: string } | null;
};

const web = ["http", "https"];

/** Every transport. Where two have a scheme, an address alone means the first. How each is opened is in servers/transports/open-channel.ts. */
export const transports = {
  stdio: {
    spellings: ["stdio"],
    schemes: [],
    isLocal: true,
    document: {
      entry: "`command`",
      opens: "stdio: a process of its own, in a process group of its own",
    },
  },
  http: {
    spellings: ["http", "streamable-http", "streamable_http", "streamableHttp"],
    schemes: web,
    isLocal: false,
    document: {
      entry: "`url`",
      opens: "Streamable HTTP; an address that answers 400, 404 or 405 is tried as HTTP+SSE",
    },
  },
  sse: {
    spellings: ["sse"],
    schemes: web,
    isLocal: false,
    document: { entry: '`url`, `"transport": "sse"`', opens: "HTTP+SSE of 2024" },
  },
  websocket: {
    spellings: ["websocket", "ws"],
    schemes: ["ws", "wss"],
    isLocal: false,
    document: {
      entry: "`url` with `ws:` or `wss:`",
      opens: "WebSocket, with pings every `pingIntervalMs`",
    },
  },
  openapi: {
    spellings: ["openapi"],
    schemes: [],
    isLocal: false,
    document: { entry: "`openapi`", opens: "the operations of an HTTP API, from its document" },
  },
  skills: {
    spellings: ["skills"],
    schemes: [],
    isLocal: true,
    document: { entry: "`skills`", opens: "a folder with skills" },
  },
  memory: { spellings: ["memory"], schemes: ["memory"], isLocal: true, document: null },
  /** An address whose scheme an extension has added. */
  extension: { spellings: [], schemes: [], isLocal: false, document: null },
} as const satisfies Record<string, TransportFacts>;

export type TransportName = keyof typeof transports;

const transportEntries = Object.entries(transports) as [TransportName, TransportFacts][];

export const transportBySpelling: ReadonlyMap<unknown, TransportName> = new Map(
  transportEntries.flatMap(([name, { spellings }]) =>
    spellings.map((spelling) => [spelling, name]),
  ),
);

export const transportByScheme: ReadonlyMap<string, TransportName> = new Map(
  transportEntries
    .toReversed()
    .flatMap(([name, { schemes }]) => schemes.map((scheme) => [scheme, name])),
);

/** Those that a configuration can name, as they are listed in hints. */
export const namedTransports: readonly TransportName[] = transportEntries
  .filter(([, { document }]) => document !== null)
  .map(([name]) => name);
