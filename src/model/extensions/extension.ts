import type { HeldView } from "../calls/held-schema.ts";
import type { AddedProvider, ProviderOptions } from "../calls/provider.ts";
import type { ToolResult } from "../calls/result.ts";
import type { Embed } from "../catalogue/search.ts";
import type { PlaneEvent } from "../events.ts";
import type { JsonObject, UnknownObject } from "../json.ts";
import type { Plane } from "../plane.ts";
import type { AbortSignal } from "../platform.ts";
import type { Principal, Scope } from "../principal.ts";
import type { Columns, RowOf } from "./columns.ts";

/** Raised when an extension that was written for an earlier one would no longer work. */
export const extensionInterface = 1;

/** The parts of the plane that an extension may ask for. */
export const planeParts = [
  "approvals",
  "call",
  "calls",
  "events",
  "registry",
  "search",
  "servers",
  "tools",
] as const satisfies readonly (keyof Plane)[];
/** A part of the plane that an extension may ask for in `needs`. */
export type PlanePart = (typeof planeParts)[number];

/**
 * Adds to a plane what its core does not have. A configuration names it in `extensions`, a program in the option of that
 * name.
 * @example
 * export default defineExtension({
 *   name: "greeter",
 *   setup({ addProvider }) {
 *     addProvider("greet", async (_spec, { name }) => `Hello, ${name}!`);
 *   },
 * });
 */
export type Extension<Parts extends PlanePart = PlanePart> = {
  /** Small letters, digits and hyphens. What it adds is on record under this name. */
  name: string;
  /** The interface it was written for. Default: 1. */
  interface?: number;
  /** One sentence. */
  about?: string;
  /** A JSON Schema for what the configuration says after `with`. Missing: nothing may be said. */
  settings?: JsonObject;
  /** The kinds of secrets it reads: `vault` for `${vault:…}`. */
  secrets?: readonly string[];
  /** The kinds of providers it adds, so that a configuration that names one is known to be right. */
  providers?: readonly string[];
  /** The schemes of the addresses it connects to: `amqp` for a server with `"url": "amqp://…"`. */
  transports?: readonly string[];
  /** Files of other products that it reads, for `toolplane import`. */
  formats?: readonly FileFormat[];
  /** The parts of the plane it uses; it gets no others. */
  needs?: readonly Parts[];
  /** Called once, in the order of the configuration. What is returned is called later. */
  setup(to: ExtensionSetup<Parts>): ExtensionLife | undefined | Promise<ExtensionLife | undefined>;
};

/** One that a program brings, with or without settings. Relative paths of them start in the working directory. */
export type BroughtExtension = Extension | { use: Extension; with?: JsonObject };

/** What becomes of an extension after `setup`. */
export type ExtensionLife = {
  /** The plane begins to serve. */
  start?(): unknown;
  /** The configuration was read again; what is added stays. */
  reload?(settings: JsonObject): unknown;
  /** The plane stops, also where `start` failed. */
  stop?(): unknown;
};

/** What an extension gets. All that it adds is gone when it fails or stops. */
export type ExtensionSetup<Parts extends PlanePart = PlanePart> = {
  /** What the configuration says after `with`, with variables and secrets in their places. */
  readonly settings: JsonObject;
  /** Where the configuration stands: relative paths start there. */
  readonly directory: string;
  /** The parts named in `needs`, as this extension: its calls are on record by its name. */
  readonly plane: Pick<Plane, Parts>;
  /** Appears in the log of the plane, without secrets. */
  log(text: string): void;
  addOperation<Answer>(operation: ExtensionOperation<Answer>): void;
  addProvider(kind: string, provider: AddedProvider, options?: ProviderOptions): void;
  addTransport(scheme: string, open: OpenTransport): void;
  addToolSource(source: ToolSource): ToolSourceHandle;
  addSecrets(kind: string, read: ReadSecret): void;
  addScanner(scan: ScanDefinition): void;
  addEmbedder(embed: Embed): void;
  addRanker(rank: RankTools): void;
  addApprovalChannel(channel: ApprovalChannel): void;
  /** Around every attempt to run a tool: once it is allowed, checked and approved. Its time is the time of the call. */
  aroundExecute(stage: ExecuteStage): void;
  /** Every event, or those of one type. The call does not wait for it. */
  onEvent(listen: (event: PlaneEvent) => unknown, type?: PlaneEvent["type"]): void;
  addPanel(panel: Panel): void;
};

/** A verb of its own, on every face: library, command line, HTTP and workbench. */
export type ExtensionOperation<Answer = unknown> = {
  /** A noun and a verb: `scripts.reload`. */
  name: string;
  /** One sentence. */
  summary: string;
  scope: Scope;
  /** A JSON Schema of an object. Missing: it takes nothing. */
  input?: JsonObject;
  /** A record of who asked for it is kept. */
  changes?: boolean;
  /** The inputs that the command line takes by position. Default: those that are required. */
  positional?: readonly string[];
  /** A JSON Schema of what `run` gives. `columns` are checked against it when the extension is set up. */
  output?: JsonObject;
  /** What people see of a list: titles by the field of an entry. */
  columns?: Columns<RowOf<Awaited<NoInfer<Answer>>>>;
  /** An address of its own over HTTP, beside the one that every operation has. */
  http?: ExtensionRoute;
  /** Shown by the help of its command: `scripts reload --all`. */
  examples?: readonly string[];
  run(input: JsonObject, asker: { principal: Principal; signal?: AbortSignal }): Answer;
};

/** Where an operation is over HTTP. */
export type ExtensionRoute = {
  /** A `get` is for operations that only read. */
  method: "get" | "post" | "put" | "delete";
  /** Below `/extensions/NAME/`. An input in braces is part of it; the others are the body of `post` and `put`, else the query. */
  path: string;
};

/** A connection that carries JSON-RPC messages to a server. */
export type OpenTransport = (
  url: string,
  to: {
    onMessage(message: unknown): void;
    onClose(reason: string): void;
    signal: AbortSignal;
  },
) => Promise<{ send(message: UnknownObject): unknown; close(): unknown }>;

/** Tools that are found somewhere: in a directory, in another system. */
export type ToolSource = {
  /** Manifests, as in a file. Each names a provider; one of the extension's own, most likely. A wrong one is left out. */
  list(): readonly UnknownObject[] | Promise<readonly UnknownObject[]>;
};
/** For the extension that added the source. */
export type ToolSourceHandle = {
  /** Asks for the list again. Never rejects: what fails is in the log, and the earlier list stays. */
  changed(): Promise<void>;
};

/** The value, or an error that says why there is none; the error must not hold the value. */
export type ReadSecret = (
  name: string,
  context: { directory: string; signal: AbortSignal },
) => string | Promise<string>;

/** Reads the configuration of another product, where it recognises it. */
export type FileFormat = {
  /** As people know it: `Acme Desktop`. */
  name: string;
  /** Null for a file of another kind. */
  read(document: UnknownObject, file: string): { mcpServers: UnknownObject } | null;
};

/** What is suspicious in a definition; an empty list for nothing. It must answer at once, in linear time. */
export type ScanDefinition = (definition: UnknownObject) => readonly {
  severity: "low" | "medium" | "high";
  /** The suspicious text. */
  excerpt: string;
}[];

/** Puts the found tools in another order. Those it leaves out come last. */
export type RankTools = (
  query: string,
  tools: readonly { name: string; description: string }[],
) => readonly string[] | Promise<readonly string[]>;

/** Asks people elsewhere: in a chat, by mail. */
export type ApprovalChannel = {
  name: string;
  /** A call waits. `answer` may be called later, with the name of the person who decided. */
  ask(
    held: HeldView,
    answer: (decision: "approve" | "reject", by: string, reason?: string) => Promise<void>,
  ): unknown;
  /** It waits no longer: it was answered, or its time is over. */
  settled?(held: HeldView): unknown;
};

/** Runs around a call that is allowed, checked and approved; `next` runs the tool, once. */
export type ExecuteStage = (
  call: {
    id: string;
    tool: string;
    arguments: JsonObject;
    principal: Principal;
    signal: AbortSignal;
  },
  next: () => Promise<ToolResult>,
) => Promise<ToolResult>;

/** Facts for the workbench: data, no code. */
export type Panel = {
  title: string;
  facts(): readonly PanelFact[] | Promise<readonly PanelFact[]>;
};
/** One line of a panel. */
export type PanelFact = { label: string; value: string | number | boolean | null; about?: string };

/**
 * The same, with its types checked.
 * @example
 * export default defineExtension({ name: "ours", setup: ({ addProvider }) => void addProvider("now", async () => Date()) });
 */
export function defineExtension<const Parts extends PlanePart = never>(
  extension: Extension<Parts>,
): Extension<Parts> {
  return extension;
}
