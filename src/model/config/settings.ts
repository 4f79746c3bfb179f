export type StoreAddress =
  | { kind: "sqlite" }
  | {
      kind: "postgres";
      /** With the password. Never shown. */
      url: string;
      schema: string;
      /** Without the password; for the operator. */
      shown: string;
    };

const defaultSchema = "toolplane";
/** Names like these need no quotes to be safe, but keywords need them to be names. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;
const hint = "Write 'sqlite', or 'postgres://user@host:5432/database'.";

/** Problems do not repeat the text: it may hold a password. */
export function parseStoreAddress(text: string): StoreAddress | { problem: string; hint: string } {
  const trimmed = text.trim();
  if (trimmed === "sqlite") return { kind: "sqlite" };
  if (!/^postgres(ql)?:\/\//i.test(trimmed)) return { problem: "this is not a known kind of store", hint };
  const url = URL.parse(trimmed);
  if (url === null) return { problem: "this is not the URL of a database", hint: specialCharacters };
  const database = url.pathname.slice(1);
  // A password with a slash looks like a path, and must not be shown as a name.
  if (/[/@]/.test(database)) return { problem: "this is not the URL of a database", hint: specialCharacters };
  if (database === "") return { problem: "the address names no database", hint };
  const schema = url.searchParams.get("schema") ?? defaultSchema;
  if (!schemaName.test(schema))
    return {
      problem: "the schema's name must be lower-case letters, digits and underscores",
      hint: `Leave '?schema=' out to use '${defaultSchema}'.`,
    };
  url.searchParams.delete("schema");
  const shown = `postgres://${url.host || "localhost"}/${database}?schema=${schema}`;
  return { kind: "postgres", url: url.href, schema, shown };
}

export type BucketAddress = {
  bucket: string;
  /** Before each name; ends with a slash, or is empty. */
  prefix: string;
  region: string;
  /** Null for the one of the region. */
  endpoint: string | null;
};

const bucketHint = "Write 's3://BUCKET/PREFIX?region=REGION', with '&endpoint=https://…' where it is not at AWS.";

/** Credentials are no part of it: they come from the environment, as for any program that uses S3. */
export function parseBucketAddress(text: string): BucketAddress | { problem: string; hint: string } {
  const url = URL.parse(text.trim());
  if (url?.protocol !== "s3:") return { problem: "this is not the address of a bucket", hint: bucketHint };
  if (url.username !== "" || url.password !== "")
    return { problem: "the address has a password", hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead." };
  const bucket = url.host;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    return { problem: "the address names no bucket", hint: bucketHint };
  const { region = "us-east-1", endpoint = null, ...unknown } = Object.fromEntries(url.searchParams);
  const [other] = Object.keys(unknown);
  if (other !== undefined) return { problem: `'${other}' is not known in the address`, hint: bucketHint };
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    return { problem: "'endpoint' is not an address of the web", hint: bucketHint };
  const path = url.pathname.replace(/^\/+|\/+$/g, "");
  if (!/^[\w.!*'()/-]*$/.test(path))
    return { problem: "the prefix has characters that names in a bucket should not have", hint: bucketHint };
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
