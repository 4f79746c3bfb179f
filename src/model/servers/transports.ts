type TransportFacts = {
  /** In files of ours and of others. */
  spellings: readonly string[];
  /** Of the addresses that it connects to. */
  schemes: readonly string[];
};

const web = ["http", "https"];

/** Every transport. Where two have a scheme, an address alone means the first. How each is opened is in servers/transports/open-channel.ts. */
export const transports = {
  stdio: { spellings: ["stdio"], schemes: [] },
  http: {
    spellings: ["http", "streamable-http", "streamable_http", "streamableHttp"],
    schemes: web,
  },
  sse: { spellings: ["sse"], schemes: web },
  websocket: { spellings: ["websocket", "ws"], schemes: ["ws", "wss"] },
  openapi: { spellings: ["openapi"], schemes: [] },
  skills: { spellings: ["skills"], schemes: [] },
  memory: { spellings: ["memory"], schemes: ["memory"] },
  /** An address whose scheme an extension has added. */
  extension: { spellings: [], schemes: [] },
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
