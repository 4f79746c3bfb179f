import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimDirectory, userTemporaryDirectory } from "@toolplane/core/lib/private-directory";
import { TransportError } from "@toolplane/core/protocol/message";

const envFileEnding = ".env";

/**
 * The variables of a container, in a file that only this user can read; null where there are none. The runtime's client
 * reads it once, when it starts. Throws a `TransportError` for what no such file can hold.
 */
export function writeEnvFile(
  container: string,
  variables: Readonly<Record<string, string>>,
): string | null {
  const lines = Object.entries(variables).map(([name, value]) => lineOf(name, value));
  if (lines.length === 0) return null;
  const directory = userTemporaryDirectory();
  const problem = claimDirectory(directory);
  if (problem !== null)
    throw unusable(`the variables for its container cannot be written: ${problem}`);
  const file = join(directory, `${container}${envFileEnding}`);
  try {
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600, flag: "wx" });
  } catch (thrown) {
    throw unusable(
      `the variables for its container cannot be written: ${(thrown as Error).message}`,
    );
  }
  return file;
}

/** A name or a value must not be able to say more than itself. */
function lineOf(name: string, value: string): string {
  if (!/^[^\s=#\0][^\s=\0]*$/.test(name))
    throw unusable(`'${name}' in 'env' is not a valid variable name`);
  if (!/[\r\n\0]/.test(value)) return `${name}=${value}`;
  throw unusable(
    `the variable ${name} has several lines, which no container takes. Give it a file with 'container.mounts'`,
  );
}

function unusable(message: string): TransportError {
  return new TransportError(message, { sent: false, permanent: true });
}

export function removeEnvFile(file: string | null): void {
  if (file !== null) rmSync(file, { force: true });
}

/** Those of containers whose plane is gone. */
export function removeEnvFiles(isLeft: (container: string) => boolean): void {
  const directory = userTemporaryDirectory();
  for (const file of filesIn(directory))
    if (file.endsWith(envFileEnding) && isLeft(file.slice(0, -envFileEnding.length)))
      removeEnvFile(join(directory, file));
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
