import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Environment,
  findReferences,
  mapTexts,
  type Reference,
  readKeychain,
  resolveSecrets,
  userFiles,
  writeKeychain,
} from "../../../../src/config/editing.ts";
import { claimDirectory } from "../../../../src/lib/private-directory.ts";
import type { SecretPlace } from "../../../../src/model/config/adding.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import type { JsonObject } from "../../../../src/model/json.ts";

export type KeptSecret = { name: string; where: string };

/** The variables of an entry whose values are known here and nowhere else. */
export function unkeptSecrets(
  entry: JsonObject,
  values: Readonly<Record<string, string>>,
  environment: Environment,
): string[] {
  const names = new Set<string>();
  mapTexts(entry, (text) => {
    for (const { kind, name, fallback } of findReferences(text))
      if (kind === "env" && fallback === null && Object.hasOwn(values, name) && !environment[name])
        names.add(name);
    return text;
  });
  return [...names];
}

/** The same entry with references to where its secrets are now. */
export async function keepSecrets(
  server: string,
  entry: JsonObject,
  secrets: Readonly<Record<string, string>>,
  place: Exclude<SecretPlace, "env">,
  environment: Environment,
): Promise<{ entry: JsonObject; kept: KeptSecret[] }> {
  const kept: KeptSecret[] = [];
  const references = new Map<string, string>();
  for (const [name, value] of Object.entries(secrets)) {
    const account = `${server}-${name}`.replaceAll(/[^\w.-]/g, "_");
    const file = place === "file" ? writeSecret(account, value, environment) : null;
    const named = file === null ? `toolplane/${await writeFreeAccount(account, value)}` : "";
    references.set(name, file === null ? `\${keychain:${named}}` : `\${file:${file}}`);
    kept.push({ name, where: file ?? `the keychain as ${named}` });
  }
  const changed = mapTexts(entry, (text) =>
    findReferences(text)
      .filter(({ kind }) => kind === "env")
      .reduce(
        (now, { name, text: written }) =>
          now.replaceAll(written, () => references.get(name) ?? written),
        text,
      ),
  );
  return { entry: changed as JsonObject, kept };
}

/** The entry with the secrets in their places that were kept before; what cannot be read stays a reference. */
export async function revealKept(entry: unknown, environment: Environment): Promise<unknown> {
  const known = new Map<string, string>();
  const directory = secretsDirectory(environment);
  const isKept = ({ kind, name }: Reference) =>
    kind === "keychain"
      ? name.startsWith("toolplane/")
      : kind === "file" && dirname(name) === directory;
  const texts: string[] = [];
  mapTexts(entry as JsonObject, (text) => {
    texts.push(...findReferences(text).flatMap((one) => (isKept(one) ? [one.text] : [])));
    return text;
  });
  for (const text of texts) {
    const secret = await resolveSecrets(text, { directory: directory ?? "/" }).catch(() => null);
    if (secret !== null) known.set(text, secret);
  }
  return mapTexts(entry as JsonObject, (text) =>
    [...known].reduce((now, [reference, secret]) => now.replaceAll(reference, () => secret), text),
  );
}

/** What `keepSecrets` put there for one server. Of the keychain nothing is taken out. */
export function forgetSecrets(entry: JsonObject, environment: Environment): void {
  const directory = secretsDirectory(environment);
  mapTexts(entry, (text) => {
    for (const { kind, name } of findReferences(text))
      if (kind === "file" && dirname(name) === directory) rmSync(name, { force: true });
    return text;
  });
}

/** Beside the person's own configuration. */
function secretsDirectory(environment: Environment): string | null {
  const [own] = userFiles(environment);
  return own === undefined ? null : join(dirname(own), "secrets");
}

/** For the person's eyes alone. A file that is there belongs to a server of another configuration, whatever its name. */
function writeSecret(account: string, value: string, environment: Environment): string {
  const directory = secretsDirectory(environment);
  if (directory === null)
    throw new PlaneError("USAGE", "There is no home directory to keep a secret in.");
  const wrong = claimDirectory(directory);
  if (wrong !== null) throw new PlaneError("USAGE", `The secret cannot be kept: ${wrong}.`);
  for (let count = 1; ; count += 1) {
    const file = join(directory, count === 1 ? account : `${account}-${count}`);
    try {
      writeFileSync(file, value, { mode: 0o600, flag: "wx" });
      return file;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
}

async function writeFreeAccount(account: string, value: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const free = count === 1 ? account : `${account}-${count}`;
    const present = await readKeychain(`toolplane/${free}`);
    const isOther = "secret" in present && present.secret !== value;
    if (isOther) continue;
    await writeKeychain("toolplane", free, value);
    return free;
  }
}
