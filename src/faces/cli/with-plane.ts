import { renderProblem } from "../../model/config.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { printWarning } from "./output.ts";
import { untilInterrupted } from "./signals.ts";
import { showWaiting } from "./waiting.ts";

/** Opens the plane for one command and closes it again, whatever happens in between. */
export async function withPlane<T>(
  cli: Cli,
  options: GlobalOptions,
  work: (plane: Plane, interrupted: AbortSignal) => Promise<T>,
  extra: { answersQuestions?: boolean } = {},
): Promise<T> {
  using interruption = untilInterrupted();
  await using plane = await openPlane(cli, options, extra);
  using _waiting = showWaiting(plane);
  const { signal } = interruption;
  signal.addEventListener("abort", () => void plane.stop());
  try {
    return await work(plane, signal);
  } finally {
    signal.throwIfAborted();
  }
}

export async function openPlane(
  cli: Cli,
  options: GlobalOptions,
  extra: { fallback?: object; watch?: boolean; answersQuestions?: boolean } = {},
): Promise<Plane> {
  const plane = await cli.openPlane({
    files: options.config ?? [],
    directory: process.cwd(),
    dataDirectory: options.dataDir,
    user: options.user,
    groups: options.group ?? [],
    persona: options.persona,
    ...(options.standalone || options.offline || extra.watch ? { standalone: true } : {}),
    ...(options.offline ? { offline: true } : {}),
    ...(extra.watch ? { watch: true } : {}),
    ...(extra.answersQuestions ? { answersQuestions: true } : {}),
    ...(extra.fallback ? { fallback: { ...extra.fallback } } : {}),
  });
  for (const problem of plane.config().problems) printWarning(renderProblem(problem));
  return plane;
}
