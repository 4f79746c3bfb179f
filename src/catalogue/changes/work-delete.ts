import { type EntryKey, workKinds } from "../../model/catalogue/change.ts";
import type { Manifests } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";

import { type Principal, requireScope } from "../../model/principal.ts";
import type { Verbs } from "../../model/verbs.ts";
import { asPerson, readReason } from "./change-entries.ts";
import type { Entries } from "./entries.ts";

type Parts = {
  entries: Entries;
  defaultPrincipal: Principal;
  /** What programs changed before is on record first. */
  settled(): Promise<void>;
};

/** Takes away skills, tasks and jobs that a bundle brought. */
export function createWorkDeletion({ entries, defaultPrincipal, settled }: Parts): Pick<Verbs, "deleteEntry"> {
  return {
    async deleteEntry(kind, name, { persona = null, reason } = {}, caller = {}) {
      const { principal = defaultPrincipal } = caller;
      requireScope(principal, "admin", "change the catalogue");
      if (!workKinds.includes(kind))
        throw new PlaneError("USAGE", `A '${kind}' cannot be deleted so: give ${workKinds.join(", ")}.`);
      const why = readReason(reason);
      await entries.reload();
      const key: EntryKey = { kind, name, persona };
      const file = entries.inFiles(key);
      if (entries.stored(key) === undefined) {
        if (file === undefined) return false;
        const place = file.source.replace("manifest:", "");
        throw conflict(key, `comes from the file '${place}'. Remove it there.`);
      }
      // What a file has under that name takes its place.
      const users = file === undefined ? usersOf(key, entries.manifests()) : [];
      if (users.length > 0) throw conflict(key, `is needed by ${users.join(", ")}. Delete or change that first.`);
      await settled();
      await entries.edit({ put: [], remove: [key] }, { by: asPerson(caller, principal), reason: why });
      return true;
    },
  };
}

/** What would be left without it: those of its owner, and everybody's where it is everybody's. */
function usersOf({ kind, name, persona }: EntryKey, { tasks, jobs, skills }: Manifests): string[] {
  const all = kind === "skill" ? skills : kind === "task" ? tasks : [];
  const hasOther = all.some((one) => one.name === name && one.persona === undefined) && persona !== null;
  if (kind === "job" || hasOther) return [];
  const isConcerned = ({ persona: owner }: { persona?: string | undefined }) =>
    persona === null || owner === undefined || owner === persona;
  const ofTasks = tasks.filter((task) => kind === "skill" && task.required_skills.includes(name));
  const ofJobs = jobs.filter((job) =>
    kind === "skill" ? job.required_skills.includes(name) : job.task_graph.some(({ task }) => task === name),
  );
  return [
    ...ofTasks.filter(isConcerned).map((task) => `task '${task.name}'`),
    ...ofJobs.filter(isConcerned).map((job) => `job '${job.name}'`),
  ];
}

function conflict({ kind, name }: EntryKey, why: string): PlaneError {
  const what = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return new PlaneError("CONFLICT", `${what} '${name}' ${why}`, { data: { [kind]: name } });
}
