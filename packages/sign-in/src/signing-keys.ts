import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import type { SignInRows } from "@toolplane/core/model/access/sign-in";
import type { JsonObject } from "@toolplane/core/model/json";

const day = 24 * 3_600;
/** A key signs for a month, and is published until what it signed is over. */
const signsForMs = 30 * day * 1_000;
const keptSeconds = 32 * day;
const kind = "SigningKey";

export const signingAlgorithm = "ES256";

export type SigningKeys = {
  /** The one that signs comes first. */
  secret: JsonObject[];
  published: JsonObject[];
  /** For cookies, in the same order. */
  cookies: string[];
};

/** Every replica may add a key; all of them are published, so that none has to wait for another. */
export async function readSigningKeys(rows: SignInRows, now = Date.now()): Promise<SigningKeys> {
  const storedKeys = await rows.list<JsonObject>(kind);
  const isFresh = storedKeys.some(({ madeAt }) => now - madeAt < signsForMs);
  if (!isFresh) {
    const key = createKey();
    await rows.put(kind, String(key.kid), key, { seconds: keptSeconds, tells: true });
    return readSigningKeys(rows, now);
  }
  const secret = storedKeys.toReversed().map(({ value }) => value);
  return { secret, published: secret.map(publicPart), cookies: secret.map(cookieKey) };
}

function createKey(): JsonObject {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = privateKey.export({ format: "jwk" }) as JsonObject;
  return { ...jwk, kid: randomBytes(8).toString("hex"), use: "sig", alg: signingAlgorithm };
}

function publicPart({ d: _, ...publicJwk }: JsonObject): JsonObject {
  return publicJwk;
}

const cookieKey = ({ d }: JsonObject) =>
  createHash("sha256")
    .update(`cookies ${String(d)}`)
    .digest("base64url");
