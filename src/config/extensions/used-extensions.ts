import { type ConfigProblem, ConfigValues } from "../../model/config/config.ts";
import type { Path } from "../../model/json.ts";
import type { Merged } from "../merge-settings.ts";
import type { LoadedExtension } from "./load-extensions.ts";

/** What is written wrong is reported with the other values. */
export async function loadUsed(merged: Merged): Promise<LoadedExtension[]> {
  const { success, data } = ConfigValues.shape.extensions.safeParse(merged.values.extensions);
  if (!success || data.length === 0) return [];
  const { loadExtensions } = await import("./load-extensions.ts");
  const originOf = (path: Path) => merged.originOf(path)?.file;
  return loadExtensions(data, (at) => originOf(["extensions", at]) ?? originOf(["extensions"]) ?? "");
}

/** One that cannot be used costs only what it would have added. */
export function unusable(
  { use, why }: LoadedExtension & { extension: null },
  at: number,
  merged: Merged,
): ConfigProblem {
  const message = `the extension '${use}' is not used: ${why}`;
  return { ...merged.placeOf(["extensions", at]), severity: "warning", message, hint: null };
}
