import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { nearest } from "../../lib/nearest.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed, passed } from "./check.ts";
import { entriesOf } from "./find-command.ts";

export function checkDirectory(path: string): DoctorCheck {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return passed("cwd", `It starts in ${path}.`);
  if (found) {
    const fix = `Change 'cwd' to a directory, for example ${dirname(path)}.`;
    return failed("cwd", { detail: `${path} is a file, not a directory.`, fix });
  }
  return failed("cwd", { detail: `There is no directory ${path}.`, fix: missingFix(path) });
}

function missingFix(path: string): string {
  const parent = dirname(path);
  const [near] = nearest(basename(path), entriesOf(parent), 1);
  if (near !== undefined) return `Change 'cwd' to what is there: ${parent}/${near}.`;
  return `Create the directory or correct 'cwd': mkdir -p '${path}'.`;
}
