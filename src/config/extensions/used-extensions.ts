import * as z from "zod/mini";
import { type ConfigProblem, ExtensionEntry, problemWithUse } from "../../model/config/config.ts";
import { isObject, type Path } from "../../model/json.ts";
import type { Merged } from "../merge-settings.ts";
import type { LoadedExtension, NamedExtension } from "./load-extensions.ts";

/** What is written wrong is reported with the other values, and listed as one that failed. */
export async function loadUsed(merged: Merged): Promise<LoadedExtension[]> {
  const { extensions: uses } = merged.values;
  if (!Array.isArray(uses) || uses.length === 0) return [];
  const { loadExtensions } = await import("./load-extensions.ts");
  const originOf = (path: Path) => merged.originOf(path)?.file;
  return loadExtensions(
    uses.map(readUse),
    (index) => originOf(["extensions", index]) ?? originOf(["extensions"]) ?? "",
  );
}

function readUse(writtenUse: unknown, index: number): NamedExtension {
  const { data } = z.safeParse(ExtensionEntry, writtenUse);
  if (data !== undefined) return data;
  const use =
    isObject(writtenUse) && typeof writtenUse.use === "string"
      ? writtenUse.use
      : `extensions[${index}]`;
  return { use, wrong: `its entry in 'extensions' ${problemWithUse(writtenUse)}` };
}

/** One that cannot be used costs only what it would have added. */
export function unusable(
  { use, why, isMisspelled }: LoadedExtension & { extension: null },
  index: number,
  merged: Merged,
): ConfigProblem[] {
  if (isMisspelled) return [];
  const message = `the extension '${use}' is not used: ${why}`;
  return [{ ...merged.placeOf(["extensions", index]), severity: "warning", message, hint: null }];
}
