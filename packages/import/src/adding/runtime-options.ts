import {
  asMatch,
  asOneOf,
  asShown,
  type Foreign,
  foreign,
  matches,
} from "../../../../src/model/foreign.ts";

/** Stands for what only the person says. */
export const said = "\0";

/** An option of the program that fetches a package: its name, if it has one, and what a stranger fixes of its value. */
export type Options = { name: Foreign<string> | undefined; value: Foreign<string> };

/** Alone: a flag without a value. `values`: what may stand behind it. */
type Known = { alone: readonly string[]; values: Readonly<Record<string, RegExp>> };

const anything = /^/;
const word = /^[\w.]+$/;
const yesOrNo = /^(?:true|false)$/;
/** The person names the directory of this machine, or it is a volume of its own. */
const source = `(?:${said}|[A-Za-z0-9][\\w.-]*)`;
const volume = new RegExp(`^${source}:/[^:]*(?::r[ow])?$`);
const mountPart = `(?:type=(?:bind|volume|tmpfs)|(?:src|source)=${source}|(?:dst|destination|target)=[/${said}][^,"]*|readonly|ro)`;
const mount = new RegExp(`^${mountPart}(?:,${mountPart})*$`);

/** What does not reach out of the container. */
const container: Known = {
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
    "--pull": word,
    "--tmpfs": /^\//,
    "--cap-drop": word,
    "-m": word,
    "--memory": word,
    "--cpus": word,
    "--pids-limit": word,
    "--shm-size": word,
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
const fetching: Readonly<Record<string, Known>> = {
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
    values: { "--yes": yesOrNo, "--quiet": yesOrNo, "--silent": yesOrNo, "--loglevel": word },
  },
  pypi: {
    alone: ["-q", "--quiet", "--isolated", "--no-cache", "--refresh", "--offline"],
    values: { "-p": /^\d[\d.]*$/, "--python": /^\d[\d.]*$/ },
  },
  nuget: { alone: ["-y", "--yes", "--prerelease"], values: {} },
};

/** Why a registry's entry may not set its options; null where it may. */
export function optionProblem(via: string, options: readonly Options[]): string | null {
  const known = Object.hasOwn(fetching, via) ? fetching[via] : undefined;
  const wrong = options.find((one) => known === undefined || !isHarmless(one, known));
  if (wrong === undefined) return null;
  const shown = asShown(wrong.name ?? wrong.value).replaceAll(said, "…");
  return `its option '${shown}' reaches beyond the package; add the command line yourself if you want it`;
}

function isHarmless({ name, value }: Options, { alone, values }: Known): boolean {
  if (name === undefined && asOneOf(value, alone) !== undefined) return true;
  const [, written, rest] = asMatch(value, /^(--[\w-]+)=(.*)$/s) ?? [];
  const [option, given] =
    name === undefined ? [foreign(written), foreign(rest ?? "")] : [name, value];
  const allowed = asOneOf(option, Object.keys(values));
  return allowed !== undefined && matches(given, values[allowed] ?? /$^/);
}
