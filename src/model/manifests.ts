import type { JobManifest } from "./job.ts";
import type { SkillManifest } from "./skill.ts";
import type { TaskManifest } from "./task.ts";
import type { ToolManifest } from "./tool.ts";

/** A manifest with the file it stands in, and how others are told of that. Without a `persona` it is everybody's. */
export type FromFile<T> = T & { file: string; source: string };

/** Everything that manifest files say, each list by persona and name. */
export type Manifests = {
  tools: FromFile<ToolManifest>[];
  skills: FromFile<SkillManifest>[];
  tasks: FromFile<TaskManifest>[];
  jobs: FromFile<JobManifest>[];
};
