import { readFileSync } from "node:fs";
import type { TestEvent } from "node:test/reporters";
import { stripVTControlCharacters, styleText } from "node:util";

type Failure = { file: string; title: string; error: unknown };
/** Of a process that ended, how it did. */
type EndedTest = {
  failureType?: string;
  cause?: unknown;
  exitCode?: number | null;
  signal?: string | null;
};
type FileResult = { file: string; ms: number };
type Begun = { name: string; nesting: number; testId: number; file?: string; line?: number };

const slowestShown = 10;

/** What became of the tests: a line for each file as it ends, then failures, the slowest files and the sums. */
export async function reportTests(
  events: AsyncIterable<TestEvent>,
  write: (text: string) => void,
  repeatCommand: string,
): Promise<{ failed: number }> {
  const files: FileResult[] = [];
  const failures: Failure[] = [];
  const skipped = new Map<string, number>();
  const running = new Map<string, Begun>();
  const startedAt = performance.now();
  let titles: string[] = [];
  let passed = 0;

  for await (const { type, data } of events) {
    if (type === "test:dequeue") running.set(keyOf(data), data);
    else if (type === "test:complete") {
      running.delete(keyOf(data));
      // A process of several files is reported by its files.
      if (data.nesting > 0 || data.name.endsWith(".test.mjs")) continue;
      const { duration_ms: ms, passed: isGood } = data.details;
      files.push({ file: data.name, ms });
      const mark = isGood ? styleText("green", "✔") : styleText("red", "✖");
      write(`${mark} ${data.name} ${styleText("dim", seconds(ms))}\n`);
    } else if (type === "test:start") titles = [...titles.slice(0, data.nesting), data.name];
    else if (type === "test:pass") {
      if (data.details.type === "suite") continue;
      if (data.skip === undefined || data.skip === false) passed += 1;
      else count(skipped, `${titles[0]}: ${data.skip === true ? data.name : data.skip}`);
    } else if (type === "test:fail") {
      titles = [...titles.slice(0, data.nesting), data.name];
      const { error } = data.details;
      const isOfChildren = (error as { failureType?: string }).failureType === "subtestsFailed";
      if (isOfChildren || (data.todo !== undefined && data.todo !== false)) continue;
      failures.push({ file: titles[0] ?? "", title: titles.slice(1).join(" › "), error });
    } else if (type === "test:stderr" || type === "test:stdout") write(data.message);
  }

  for (const failure of failures) write(renderFailure(failure, repeatCommand));
  // A process that ended takes the tests with it that it had begun.
  for (const { name, file, line } of running.values())
    write(
      `${styleText("red", "✖")} ${name} (${file}:${line}) was cut off: its process ended before the test did.\n`,
    );
  const failed = failures.length + running.size;
  for (const [what, times] of skipped)
    write(`Skipped${times > 1 ? ` ${times} times` : ""}: ${what}\n`);
  write("Slowest files:\n");
  for (const { file, ms } of files.toSorted((a, b) => b.ms - a.ms).slice(0, slowestShown))
    write(`  ${seconds(ms).padStart(8)}  ${file}\n`);
  const skips = [...skipped.values()].reduce((sum, times) => sum + times, 0);
  const wall = seconds(performance.now() - startedAt);
  write(
    `${files.length} files: ${passed} passed, ${failed} failed, ${skips} skipped in ${wall}${cpuOfChildren()}.\n`,
  );
  return { failed };
}

function keyOf({ file, line, name, nesting, testId }: Begun): string {
  return `${file}:${line} ${nesting} ${testId} ${name}`;
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** Those that were cut off take a line; the others say what they expected. */
function renderFailure({ file, title, error }: Failure, repeatCommand: string): string {
  const { failureType, cause = error, exitCode, signal } = error as EndedTest;
  const head = `\n${styleText("red", "✖")} ${file}${title === "" ? "" : ` › ${title}`}`;
  const again = `  Repeat it: ${repeatCommand} ${file}\n`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (
    failureType === "cancelledByParent" ||
    failureType === "testTimeoutFailure" ||
    failureType === "testAborted"
  )
    return `${head} was cut off: ${stripVTControlCharacters(reason).split("\n")[0]}\n${again}`;
  if (failureType === "testCodeFailure" && (exitCode ?? signal ?? null) !== null)
    return `${head}\n  Its process ended with ${signal ?? `code ${exitCode}`}.\n${again}`;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return `${head}\n${text.replaceAll(/^/gm, "  ")}\n${again}`;
}

function seconds(ms: number): string {
  return ms >= 100_000
    ? `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
    : `${(ms / 1000).toFixed(1)} s`;
}

/** The processor time of all processes that were waited for, where the system tells. */
function cpuOfChildren(): string {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return `, ${Math.round(ticks / 100)} s of processor time`;
  } catch {
    return "";
  }
}
