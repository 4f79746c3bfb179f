import { ownField } from "@toolplane/core/lib/json/plain-data";
import {
  asMatch,
  asOneOf,
  asShown,
  type Foreign,
  foreign,
  matches,
} from "@toolplane/core/model/foreign";

/** Stands for what only the person says. */
export const saidByPerson = "\0";

/** An option of the program that fetches a package: its name, if it has one, and what a stranger fixes of its value. */
export type FetchOption = { name: Foreign<string> | undefined; value: Foreign<string> };

/** Alone: a flag without a value. `values`: what may stand behind it. */
type AllowedOptions = { alone: readonly string[]; values: Readonly<Record<string, RegExp>> };

const anything = /^/;
const wordPattern = /^[\w.]+$/;
const yesOrNo = /^(?:true|false)$/;
/** The person names the directory of this machine, or it is a volume of its own. */
const source = `(?:${saidByPerson}|[A-Za-z0-9][\\w.-]*)`;
const volume = new RegExp(`^${source}:/[^:]*(?::r[ow])?$`);
const mountPart = `(?:type=(?:bind|volume|tmpfs)|(?:src|source)=${source}|(?:dst|destination|target)=[/${saidByPerson}][^,"]*|readonly|ro)`;
const mount = new RegExp(`^${mountPart}(?:,${mountPart})*$`);

/** What does not reach out of the container. */
const container: AllowedOptions = {
  alone: ["-i", "--interactive", "--rm", "--init", "--read-only", "-q", "--quiet"],
  values: {
    "--interactive": yesOrNo,
    "--rm": yesOrNo,
    "--init": yesOrNo,
    "--read-only": yesOrNo,
    "--quiet": yesOrNo,
    // Without a value it would be taken from this machine.
    "-e": /^[A-Za-z_][\w.-]*=/,
    "--env": /^[A-Za-z_][\w.-]*=/,
    "-w": anything,
    "--workdir": anything,
    "-u": anything,
    "--user": anything,
    "--entrypoint": anything,
    "--name": /^[\w.-]+$/,
    "--platform": /^[\w./-]+$/,
    "--pull": wordPattern,
    "--tmpfs": /^\//,
    "--cap-drop": wordPattern,
    "-m": wordPattern,
    "--memory": wordPattern,
    "--cpus": wordPattern,
    "--pids-limit": wordPattern,
    "--shm-size": wordPattern,
    "--network": /^(?:none|bridge)$/,
    "--security-opt": /^no-new-privileges(?:[:=]true)?$/,
    "-p": /^127\.0\.0\.1:\d+:\d+$/,
    "--publish": /^127\.0\.0\.1:\d+:\d+$/,
    "-v": volume,
    "--volume": volume,
    "--mount": mount,
  },
};

/** None names another package or another place to fetch it from. */
const allowedByKind: Readonly<Record<string, AllowedOptions>> = {
  oci: container,
  npm: {
    alone: [
      "-y",
      "--yes",
      "-q",
      "-s",
      "--quiet",
      "--silent",
      "--prefer-offline",
      "--prefer-online",
      "--offline",
    ],
    values: {
      "--yes": yesOrNo,
      "--quiet": yesOrNo,
      "--silent": yesOrNo,
      "--loglevel": wordPattern,
    },
  },
  pypi: {
    alone: ["-q", "--quiet", "--isolated", "--no-cache", "--refresh", "--offline"],
    values: { "-p": /^\d[\d.]*$/, "--python": /^\d[\d.]*$/ },
  },
  nuget: { alone: ["-y", "--yes", "--prerelease"], values: {} },
};

/** Why a registry's entry may not set its options; null where it may. */
export function optionProblem(via: string, options: readonly FetchOption[]): string | null {
  const allowed = ownField(allowedByKind, via);
  const refusedOption = options.find(
    (option) => allowed === undefined || !isHarmless(option, allowed),
  );
  if (refusedOption === undefined) return null;
  const shown = asShown(refusedOption.name ?? refusedOption.value).replaceAll(saidByPerson, "…");
  return `its option '${shown}' reaches beyond the package; add the command line yourself if you want it`;
}

function isHarmless({ name, value }: FetchOption, { alone, values }: AllowedOptions): boolean {
  if (name === undefined && asOneOf(value, alone) !== undefined) return true;
  const [, written, attached] = asMatch(value, /^(--[\w-]+)=(.*)$/s) ?? [];
  const [option, argument] =
    name === undefined ? [foreign(written), foreign(attached ?? "")] : [name, value];
  const allowed = asOneOf(option, Object.keys(values));
  return allowed !== undefined && matches(argument, values[allowed] ?? /$^/);
}
