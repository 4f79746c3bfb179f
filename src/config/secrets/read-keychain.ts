import { abortable } from "../../lib/abortable.ts";
import type { SecretAnswer } from "./secret-answer.ts";

/** The part of @napi-rs/keyring we use. */
export type Keyring = {
  AsyncEntry: new (service: string, account: string) => { getPassword(): Promise<string | null | undefined> };
};

/** Long enough for a person to unlock it. */
const limitMs = 60_000;
const otherwise = `or keep the secret elsewhere and write \${file:…} or \${command:…}.`;

/** A password of the system's keychain, named by service and account. */
export async function readKeychain(name: string, load = loadKeyring): Promise<SecretAnswer> {
  const slash = name.lastIndexOf("/");
  const [service, account] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
  if (service === "" || account === "") {
    return {
      why: "it does not name service and account",
      remedy: `Write it as \${keychain:service/account}.`,
    };
  }
  const keyring = await load().catch(() => null);
  if (keyring === null) {
    const why = "the package @napi-rs/keyring is not installed or does not support this system";
    return { why, remedy: `Install it, ${otherwise}` };
  }
  try {
    const entry = new keyring.AsyncEntry(service, account);
    const secret = await abortable(entry.getPassword(), AbortSignal.timeout(limitMs));
    if (secret) return { secret };
    return { why: "the keychain has no such entry", remedy: `Add it, ${otherwise}` };
  } catch {
    const why = "this system has no keychain, or it is locked";
    return { why, remedy: `Unlock it, ${otherwise}` };
  }
}

function loadKeyring(): Promise<Keyring> {
  return import("@napi-rs/keyring");
}
