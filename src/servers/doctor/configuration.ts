import { sentence } from "../../lib/sentence.ts";
import type { DoctorCheck } from "../../model/setup.ts";
import { failed } from "./check.ts";

/** A server whose entry could not be used: the reason as the configuration gives it. */
export function checkBroken(server: string, reason: string): DoctorCheck {
  return failed("configuration", { detail: sentence(reason), fix: fixOf(server, reason) });
}

function fixOf(server: string, reason: string): string {
  const [, field] = /^([\w.[\]-]+): /.exec(reason) ?? [];
  const key = field === undefined || field === server ? `server '${server}'` : `'${field}' of '${server}'`;
  const [, variable] = /environment variable (\w+) is not set/.exec(reason) ?? [];
  if (variable !== undefined) return `Set ${variable}, or write \${${variable}:-default} in ${key}.`;
  if (reason.includes("neither 'command' nor 'url'")) {
    return `Add 'command' for a local server or 'url' for a remote one to ${key}.`;
  }
  if (reason.includes("needs a 'command'")) return `Add 'command' to ${key}.`;
  return `Correct ${key} in the configuration file.`;
}
