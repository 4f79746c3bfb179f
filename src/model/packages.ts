import type { Finding } from "./catalogue/quality-schema.ts";
import type { ToolId } from "./catalogue/tool.ts";
import type { BucketAddress, StoreAddress, StoreParts } from "./config/settings.ts";
import type { Store } from "./store.ts";

/** What packages do for the catalogue. */
export type CataloguePackages = {
  scan(): Promise<ScanPackage>;
};

/** Stores beside the file of this machine. */
export type StorePackages = {
  postgres(): Promise<PostgresPackage>;
};

export type PostgresAddress = Extract<StoreAddress, { kind: "postgres" }>;

type PostgresPackage = {
  openPostgresStore(address: PostgresAddress, parts?: Partial<StoreParts>): Promise<Store>;
};

/** Where the content of large results is kept beside the store. */
export type ResultPackages = {
  s3(): Promise<S3Package>;
};

type S3Package = {
  openBucket(address: BucketAddress): ResultBucket;
};

/** Each request ends when its signal aborts. */
export type ResultBucket = {
  put(name: string, body: Uint8Array, signal?: AbortSignal): Promise<void>;
  /** Null where there is none. Rejects where it has more bytes. */
  get(name: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array | null>;
  /** Removes what was written before this time for the last time; how many. */
  removeBefore(time: Date, signal?: AbortSignal): Promise<number>;
  close(): void;
};

/** Looks for instructions to a model in what servers describe. */
export type ScanPackage = {
  /** Changes whenever the scan would find something else; stored with pins. */
  scanVersion: number;
  scanDefinition(definition: object): readonly Finding[];
  /** The same, with other work in between; the answer is remembered. */
  scanInSlices(definition: object): Promise<readonly Finding[]>;
  indexNames(ids: readonly ToolId[]): NamedTools;
  /** Mentions of other servers' tools. */
  findToolReferences(definition: object, server: string, names: NamedTools): readonly Finding[];
};

/** The servers that have a tool of this name, for distinctive names. */
export type NamedTools = ReadonlyMap<string, readonly string[]>;
