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
} from "@toolplane/core/config/editing";
import { claimDirectory } from "@toolplane/core/lib/private-directory";
import type { SecretPlace } from "@toolplane/core/model/config/adding";
import { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";

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
  secretPlace: Exclude<SecretPlace, "env">,
  environment: Environment,
): Promise<{ entry: JsonObject; kept: KeptSecret[] }> {
  const keptSecrets: KeptSecret[] = [];
  const references = new Map<string, string>();
  for (const [name, secret] of Object.entries(secrets)) {
    const account = `${server}-${name}`.replaceAll(/[^\w.-]/g, "_");
    if (secretPlace === "file") {
      const file = writeSecret(account, secret, environment);
      references.set(name, `\${file:${file}}`);
      keptSecrets.push({ name, where: file });
      continue;
    }
    const keychainName = `toolplane/${await writeFreeAccount(account, secret)}`;
    references.set(name, `\${keychain:${keychainName}}`);
    keptSecrets.push({ name, where: `the keychain as ${keychainName}` });
  }
  const changed = mapTexts(entry, (text) =>
    findReferences(text)
      .filter(({ kind }) => kind === "env")
      .reduce(
        (changedText, { name, text: reference }) =>
          changedText.replaceAll(reference, () => references.get(name) ?? reference),
        text,
      ),
  );
  return { entry: changed as JsonObject, kept: keptSecrets };
}

/** The entry with the secrets in their places that were kept before; what cannot be read stays a reference. */
export async function revealKept(entry: unknown, environment: Environment): Promise<unknown> {
  const secretsByReference = new Map<string, string>();
  const directory = secretsDirectory(environment);
  const isKept = ({ kind, name }: Reference) => {
    if (kind === "keychain") return name.startsWith("toolplane/");
    return kind === "file" && dirname(name) === directory;
  };
  const texts: string[] = [];
  mapTexts(entry as JsonObject, (text) => {
    for (const reference of findReferences(text).filter(isKept)) texts.push(reference.text);
    return text;
  });
  for (const text of texts) {
    const secret = await resolveSecrets(text, { directory: directory ?? "/" }).catch(() => null);
    if (secret !== null) secretsByReference.set(text, secret);
  }
  return mapTexts(entry as JsonObject, (text) =>
    [...secretsByReference].reduce(
      (revealed, [reference, secret]) => revealed.replaceAll(reference, () => secret),
      text,
    ),
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
  const [ownFile] = userFiles(environment);
  if (ownFile === undefined) return null;
  return join(dirname(ownFile), "secrets");
}

/** For the person's eyes alone. A file that is there belongs to a server of another configuration, whatever its name. */
function writeSecret(account: string, secret: string, environment: Environment): string {
  const directory = secretsDirectory(environment);
  if (directory === null)
    throw new PlaneError("USAGE", "There is no home directory to keep a secret in.");
  const problem = claimDirectory(directory);
  if (problem !== null) throw new PlaneError("USAGE", `The secret cannot be kept: ${problem}.`);
  for (let count = 1; ; count += 1) {
    const file = join(directory, numbered(account, count));
    try {
      writeFileSync(file, secret, { mode: 0o600, flag: "wx" });
      return file;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
    }
  }
}

const numbered = (account: string, count: number) =>
  count === 1 ? account : `${account}-${count}`;

async function writeFreeAccount(account: string, secret: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const candidate = numbered(account, count);
    const present = await readKeychain(`toolplane/${candidate}`);
    const isOther = "secret" in present && present.secret !== secret;
    if (isOther) continue;
    await writeKeychain("toolplane", candidate, secret);
    return candidate;
  }
}
