import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * What only the person has who started the plane: a word in the link that it prints. As long as there is no key, any
 * program of this machine can ask for things, a tool that fetches addresses among them; none of them can read a terminal.
 */
export type LocalPass = { word: string; isIt(shown: string | null): boolean };

export function createLocalPass(word = randomBytes(24).toString("base64url")): LocalPass {
  const passHash = hash(word);
  return { word, isIt: (shown) => shown !== null && timingSafeEqual(passHash, hash(shown)) };
}

function hash(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
