import type { Config } from "../model/config.ts";
import type { FromFile, Manifests } from "../model/manifests.ts";

/** An edit that broke something leaves its last good version in force; the problem is reported all the same. */
export function keepGood(before: Config, after: Config): Config {
  const spoiled = Object.keys(after.broken).filter((name) => before.servers[name] !== undefined);
  const isSpoiled = ([name]: [string, unknown]) => spoiled.includes(name);
  return {
    ...after,
    servers: { ...after.servers, ...Object.fromEntries(Object.entries(before.servers).filter(isSpoiled)) },
    broken: Object.fromEntries(Object.entries(after.broken).filter((entry) => !isSpoiled(entry))),
    fromManifests: keepManifests(before, after),
  };
}

/** What a file with errors no longer says may be what the errors are about. */
function keepManifests(before: Config, after: Config): Manifests {
  const withErrors = new Set(after.problems.filter(isError).map(({ file }) => file));
  const keep = <T extends { name: string; persona?: string | undefined }>(
    old: FromFile<T>[],
    now: FromFile<T>[],
  ) => {
    const said = new Set(now.map(keyOf));
    return [...now, ...old.filter((entry) => withErrors.has(entry.file) && !said.has(keyOf(entry)))];
  };
  const [old, now] = [before.fromManifests, after.fromManifests];
  return {
    tools: keep(old.tools, now.tools),
    skills: keep(old.skills, now.skills),
    tasks: keep(old.tasks, now.tasks),
    jobs: keep(old.jobs, now.jobs),
  };
}

function isError({ severity }: Config["problems"][number]): boolean {
  return severity === "error";
}

function keyOf({ name, persona }: { name: string; persona?: string | undefined }): string {
  return JSON.stringify([persona ?? null, name]);
}
