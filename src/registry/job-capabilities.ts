import type { JobManifest } from "../model/job.ts";
import type { Manifests } from "../model/manifests.ts";
import type { Tool } from "../model/tool.ts";

type Known = Pick<Manifests, "skills"> & { tools: readonly Tool[] };

/** What a job needs: everything that its skills and tools are tagged with or ask for, each once, in their order. */
export function jobCapabilities(job: JobManifest, { skills, tools }: Known): string[] {
  const ofSkills = job.required_skills.flatMap((name) => {
    const skill = closest(
      skills.filter((one) => one.name === name),
      job.persona,
    );
    return skill ? [...skill.required_capabilities, ...skill.capability_tags] : [];
  });
  const ofTools = job.required_tools.flatMap((name) => {
    const named = tools.filter((tool) => tool.name === name || tool.id.tool === name);
    return closest(named, job.persona)?.metadata.capabilities ?? [];
  });
  // Capabilities are the same in any spelling; the first one is shown.
  const distinct = new Map<string, string>();
  for (const tag of [...ofSkills, ...ofTools])
    if (!distinct.has(tag.toLowerCase())) distinct.set(tag.toLowerCase(), tag);
  return [...distinct.values()];
}

/** One's own before everybody's. */
function closest<T extends { persona?: string | null | undefined }>(
  found: readonly T[],
  persona: string | undefined,
): T | undefined {
  const own = found.find((one) => persona !== undefined && one.persona === persona);
  return own ?? found.find((one) => (one.persona ?? null) === null);
}
