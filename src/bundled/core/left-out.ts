import { PlaneError } from "../../model/errors.ts";

/** What people type and programs request, by the package that answers. */
const wordsOfPackages: Readonly<Record<string, readonly string[]>> = {
  agent: ["agent", "codegen", "generate", "models", "runs", "toolsets"],
  code: ["code"],
  work: ["dead-letters", "jobs", "skills", "tasks"],
};

/** Why there is no such command or path, where this installation is without the package that has it. */
export function leftOutWith(word: string): PlaneError | null {
  const names = Object.keys(wordsOfPackages);
  const name = names.find((packageName) => wordsOfPackages[packageName]?.includes(word));
  return name === undefined ? null : packageMissing(name, word);
}

export function packageMissing(name: string, word = name): PlaneError {
  const message = `'${word}' needs the package '${name}', which this installation is without.`;
  return new PlaneError("NOT_FOUND", message);
}
