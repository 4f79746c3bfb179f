export type StoreAddress =
  | { kind: "sqlite" }
  | {
      kind: "postgres";
      /** With the password. Never shown. */
      url: string;
      /** Of the one connection that listens, which cannot go through every pooler. With the password, too. */
      listenUrl: string;
      schema: string;
      /** How many the plane may have at once. */
      connections: number;
      /** Without the password; for the operator. */
      shown: string;
    };

/**
 * What is answered survives the end of the process; with `power` a power cut, too, with calls of the last 200 ms aside;
 * with `strict` these as well.
 */
export const durabilities = ["process", "power", "strict"] as const;
export type Durability = (typeof durabilities)[number];

/** Seals text with the key of the planes on a store. What is sealed under one name cannot be moved to another. */
export type RecordSealer = {
  seal(name: string, text: string): string;
  /** Null where another key has sealed it, or where it was changed. */
  open(name: string, sealed: string): string | null;
};

export type StoreSettings = {
  /** Null: the default, or what was decided to keep of an older one. */
  durability: Durability | null;
  /** The configured key, for all planes on one store. */
  vaultKey(): Promise<string | undefined>;
};

/** What a kind of store is opened with. */
export type StoreParts = {
  durability: Durability;
  /** Null where the planes on the store have no key in common: then nothing is sealed by it. */
  sealer: RecordSealer | null;
};

const defaultSchema = "toolplane";
const defaultConnections = 10;
/** One listens, one looks whether the server is back, and a task that holds one needs a second. */
const minConnections = 4;
const hostAndPort = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** Names like these need no quotes to be safe, but keywords need them to be names. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;
const hint = "Write 'sqlite', or 'postgres://user@host:5432/database'.";

/** Problems do not repeat the text: it may hold a password. */
export function parseStoreAddress(text: string): StoreAddress | { problem: string; hint: string } {
  const trimmed = text.trim();
  if (trimmed === "sqlite") return { kind: "sqlite" };
  if (!/^postgres(ql)?:\/\//i.test(trimmed))
    return { problem: "this is not a known kind of store", hint };
  const url = URL.parse(trimmed);
  if (url === null)
    return { problem: "this is not the URL of a database", hint: specialCharacters };
  const database = url.pathname.slice(1);
  // A password with a slash looks like a path, and must not be shown as a name.
  if (/[/@]/.test(database))
    return { problem: "this is not the URL of a database", hint: specialCharacters };
  if (database === "") return { problem: "the address names no database", hint };
  const schema = url.searchParams.get("schema") ?? defaultSchema;
  if (!schemaName.test(schema))
    return {
      problem: "the schema's name must be lower-case letters, digits and underscores",
      hint: `Leave '?schema=' out to use '${defaultSchema}'.`,
    };
  const connections = url.searchParams.get("connections") ?? String(defaultConnections);
  if (!/^\d{1,4}$/.test(connections) || Number(connections) < minConnections)
    return {
      problem: `'connections' must be a number from ${minConnections} to 9999`,
      hint: `Leave it out for ${defaultConnections}.`,
    };
  const direct = url.searchParams.get("direct");
  if (direct !== null && !hostAndPort.test(direct))
    return {
      problem: "'direct' is not the host and the port of a server",
      hint: "Write '?direct=db.example:5432'; user, password and database are those of the address.",
    };
  for (const parameter of ["schema", "connections", "direct"]) url.searchParams.delete(parameter);
  const listenUrl = direct === null ? url.href : withHost(url, direct);
  const shown = `postgres://${url.host || "localhost"}/${database}?schema=${schema}`;
  return {
    kind: "postgres",
    url: url.href,
    listenUrl,
    schema,
    connections: Number(connections),
    shown,
  };
}

/** The host of a URL of this kind can be set; its port would stay if the new one has none. */
function withHost(url: URL, host: string): string {
  const changed = new URL(url);
  changed.port = "";
  changed.host = host;
  return changed.href;
}

export type BucketAddress = {
  bucket: string;
  /** Before each name; ends with a slash, or is empty. */
  prefix: string;
  region: string;
  /** Null for the one of the region. */
  endpoint: string | null;
};

const bucketHint =
  "Write 's3://BUCKET/PREFIX?region=REGION', with '&endpoint=https://…' where it is not at AWS.";

/** Credentials are no part of it: they come from the environment, as for any program that uses S3. */
export function parseBucketAddress(
  text: string,
): BucketAddress | { problem: string; hint: string } {
  const url = URL.parse(text.trim());
  if (url?.protocol !== "s3:")
    return { problem: "this is not the address of a bucket", hint: bucketHint };
  if (url.username !== "" || url.password !== "")
    return {
      problem: "the address has a password",
      hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.",
    };
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    return { problem: "the address names no bucket", hint: bucketHint };
  const {
    region = "us-east-1",
    endpoint = null,
    ...unknown
  } = Object.fromEntries(url.searchParams);
  const [unknownName] = Object.keys(unknown);
  if (unknownName !== undefined)
    return { problem: `'${unknownName}' is not known in the address`, hint: bucketHint };
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    return { problem: "'endpoint' is not an address of the web", hint: bucketHint };
  const path = url.pathname.replace(/^\/+|\/+$/g, "");
  if (!/^[\w.!*'()/-]*$/.test(path))
    return {
      problem: "the prefix has characters that names in a bucket should not have",
      hint: bucketHint,
    };
  return { bucket, prefix: path === "" ? "" : `${path}/`, region, endpoint };
}

const specialCharacters =
  "Write special characters of the user and the password as in any URL: '@' is '%40', '/' is '%2F'.";

export const vaultKeyBytes = 32;

/** The bytes of a key that is written as hex or base64; null when it is neither, or of another length. */
export function parseVaultKey(text: string): Uint8Array | null {
  const written = text.trim();
  const isHex = /^[0-9a-f]+$/i.test(written) && written.length === 2 * vaultKeyBytes;
  if (!isHex && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(written)) return null;
  const key = Buffer.from(written, isHex ? "hex" : "base64");
  return key.length === vaultKeyBytes ? key : null;
}

/** Does this host lead to this machine only? */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}
