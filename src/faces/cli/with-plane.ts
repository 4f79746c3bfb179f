import { countOf } from "../../lib/count-of.ts";
import { shellQuote } from "../../lib/shell-quote.ts";
import { type ConfigProblem, renderProblem } from "../../model/config.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { withLastWords } from "./last-words.ts";
import { printWarning } from "./output.ts";
import { untilInterrupted } from "./signals.ts";
import { terminal } from "./terminal.ts";
import { showWaiting } from "./waiting.ts";

/** Opens the plane for one command and closes it again, whatever happens in between. */
export async function withPlane<T>(
  cli: Cli,
  options: GlobalOptions,
  work: (plane: Plane, interrupted: AbortSignal) => Promise<T>,
  extra: OpenExtra = {},
): Promise<T> {
  using interruption = untilInterrupted();
  await using plane = await openPlane(cli, options, extra);
  using _waiting = showWaiting(plane);
  const { signal } = interruption;
  signal.addEventListener("abort", () => void plane.stop());
  try {
    return await work(plane, signal);
  } catch (thrown) {
    throw await withLastWords(plane, thrown);
  } finally {
    signal.throwIfAborted();
  }
}

type OpenExtra = {
  fallback?: object;
  watch?: boolean;
  answersQuestions?: boolean;
  relays?: boolean;
  exposed?: boolean;
  /** Begins jobs when they are due. */
  schedules?: boolean;
  /** Problems of the configuration are not what was asked about. */
  isQuiet?: boolean;
};

export async function openPlane(cli: Cli, options: GlobalOptions, extra: OpenExtra = {}): Promise<Plane> {
  const plane = await cli.openPlane({
    files: options.config ?? [],
    directory: terminal.directory(),
    dataDirectory: options.dataDir,
    user: options.user,
    groups: options.group ?? [],
    persona: options.persona,
    compliance: options.compliance,
    ...(options.standalone || options.offline || options.store || extra.watch ? { standalone: true } : {}),
    ...(options.store === undefined ? {} : { store: options.store }),
    ...(options.offline ? { offline: true } : {}),
    ...(extra.watch ? { watch: true } : {}),
    ...(extra.answersQuestions ? { answersQuestions: true } : {}),
    ...(extra.relays ? { relays: true } : {}),
    ...(extra.exposed ? { exposed: true } : {}),
    ...(extra.schedules ? { schedules: true } : {}),
    ...(extra.fallback ? { fallback: { ...extra.fallback } } : {}),
  });
  if (options.logLevel === "debug") (await import("./show-events.ts")).showEvents(plane);
  if (!extra.isQuiet) tellProblems(plane.config().problems, options, extra.watch === true);
  return plane;
}

/** One line, however many there are: every command would repeat them all. A plane that stays names each error. */
export function tellProblems(
  problems: readonly ConfigProblem[],
  { config = [] }: Pick<GlobalOptions, "config">,
  namesErrors: boolean,
): void {
  const isError = ({ severity }: ConfigProblem) => severity === "error";
  const named = problems.length === 1 ? problems : namesErrors ? problems.filter(isError) : [];
  for (const problem of named) printWarning(renderProblem(problem));
  const rest = problems.filter((problem) => !named.includes(problem));
  if (rest.length === 0) return;
  const errors = rest.filter(isError).length;
  const counts = [
    ...(errors > 0 ? [countOf(errors, "error")] : []),
    ...(errors < rest.length ? [countOf(rest.length - errors, "warning")] : []),
  ];
  const files = config.map((file) => ` --config ${shellQuote(file)}`).join("");
  printWarning(`The configuration has ${counts.join(" and ")}. Run: toolplane config validate${files}`);
}
