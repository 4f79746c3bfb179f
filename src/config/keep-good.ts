import type { Config } from "../model/config.ts";

/** An edit that broke a server leaves its last good version in force; the problem is reported all the same. */
export function keepGood(before: Config, after: Config): Config {
  const spoiled = Object.keys(after.broken).filter((name) => before.servers[name] !== undefined);
  const isSpoiled = ([name]: [string, unknown]) => spoiled.includes(name);
  return {
    ...after,
    servers: { ...after.servers, ...Object.fromEntries(Object.entries(before.servers).filter(isSpoiled)) },
    broken: Object.fromEntries(Object.entries(after.broken).filter((entry) => !isSpoiled(entry))),
  };
}
