import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { InvalidArgumentError } from "commander";
import { fileTrouble } from "../../lib/file-trouble.ts";
import { terminal } from "./terminal.ts";

/** Variables that are set already stay as they are; of several files the later one wins. */
const ours = new Set<string>();

/** Reads variables from a file, for the `${NAME}` of configurations. */
export function loadEnvFile(file: string, earlier: readonly string[] = []): string[] {
  for (const [name, value] of Object.entries(parseEnv(read(file)))) {
    if (terminal.env[name] !== undefined && !ours.has(name)) continue;
    terminal.env[name] = value;
    ours.add(name);
  }
  return [...earlier, file];
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new InvalidArgumentError(`The file cannot be read: ${fileTrouble(thrown)}.`);
  }
}
