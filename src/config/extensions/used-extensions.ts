import * as z from "zod/mini";
import { type ConfigProblem, ExtensionEntry, problemWithUse } from "../../model/config/config.ts";
import { isObject, type Path } from "../../model/json.ts";
import type { Merged } from "../merge-settings.ts";
import type { LoadedExtension, NamedExtension } from "./load-extensions.ts";

/** What is written wrong is reported with the other values, and listed as one that failed. */
export async function loadUsed(merged: Merged): Promise<LoadedExtension[]> {
  const { extensions: written } = merged.values;
  if (!Array.isArray(written) || written.length === 0) return [];
  const { loadExtensions } = await import("./load-extensions.ts");
  const originOf = (path: Path) => merged.originOf(path)?.file;
  return loadExtensions(
    written.map(readUse),
    (at) => originOf(["extensions", at]) ?? originOf(["extensions"]) ?? "",
  );
}

function readUse(written: unknown, at: number): NamedExtension {
  const { data } = z.safeParse(ExtensionEntry, written);
  if (data !== undefined) return data;
  const named =
    isObject(written) && typeof written.use === "string" ? written.use : `extensions[${at}]`;
  return { use: named, wrong: `its entry in 'extensions' ${problemWithUse(written)}` };
}

/** One that cannot be used costs only what it would have added. */
export function unusable(
  { use, why, isMisspelled }: LoadedExtension & { extension: null },
  at: number,
  merged: Merged,
): ConfigProblem[] {
  if (isMisspelled) return [];
  const message = `the extension '${use}' is not used: ${why}`;
  return [{ ...merged.placeOf(["extensions", at]), severity: "warning", message, hint: null }];
}
