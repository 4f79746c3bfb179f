import type { EntryKind } from "../../model/catalogue/change.ts";
import type { NamedOverlay, ToolManifest } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import type { JobManifest, TaskManifest } from "../../model/work/job.ts";
import type { SkillManifest } from "../../model/work/skill.ts";

export type WrittenEntry = {
  kind: EntryKind;
  manifest: ToolManifest | SkillManifest | TaskManifest | JobManifest | NamedOverlay;
  source: string;
};

/** Everything that the manifest files and the configuration itself say about the catalogue. */
export function entriesInFiles({
  fromManifests,
  tools,
  overlays = {},
}: Pick<Config, "fromManifests" | "tools"> & Partial<Pick<Config, "overlays">>): WrittenEntry[] {
  const lists = [
    ["tool", fromManifests.tools],
    ["skill", fromManifests.skills],
    ["task", fromManifests.tasks],
    ["job", fromManifests.jobs],
  ] as const;
  return [
    ...lists.flatMap(([kind, list]) =>
      list.map(({ file: _, source, ...manifest }) => ({ kind, manifest: manifest as ToolManifest, source })),
    ),
    ...Object.values(tools).map((manifest) => ({ kind: "tool" as const, manifest, source: "config" })),
    ...Object.entries(overlays).map(([name, overlay]) => ({
      kind: "overlay" as const,
      manifest: { ...overlay, name },
      source: "config",
    })),
  ];
}
