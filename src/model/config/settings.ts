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
