import { createReadStream, createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileErrorText } from "../../../lib/files.ts";
import { linesOf } from "../../../lib/text/lines.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { printJson, printStatus } from "../terminal/output.ts";
import { type ProgressBar, showProgress } from "../terminal/progress.ts";
import { Interrupted, terminal } from "../terminal/terminal.ts";

type ImportOptions = GlobalOptions & { dryRun?: boolean };

export async function exportState(
  cli: Cli,
  path: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  const file = path === "-" ? undefined : path;
  await using state = await openState(cli, options);
  using progress = showProgress(await state.countState(), 0);
  let rows = -2;
  async function* lines() {
    for await (const line of state.exportState()) {
      rows += 1;
      if (rows >= 0) progress.add(true);
      yield `${line}\n`;
    }
  }
  await writeStream(file, lines());
  if (file !== undefined && options.json) printJson({ path: file, rows });
  else printStatus(`Exported ${countOf(rows, "row")}${file === undefined ? "" : ` to ${file}`}.`);
  return 0;
}

export async function importState(cli: Cli, file: string, options: ImportOptions): Promise<number> {
  await using state = await openState(cli, options);
  const open = () => linesOf(createReadStream(file, { encoding: "utf8" }));
  const dryRun = options.dryRun ?? false;
  using progress = showProgressLater();
  const shown = dryRun ? {} : { onChecked: progress.begin, onRow: progress.add };
  const { rows, hash } = await state.importState(open, { dryRun, ...shown }).catch((thrown) => {
    throw unreadable(file, thrown);
  });
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  if (options.json) printJson({ rows, hash, imported: !dryRun });
  else
    printStatus(
      dryRun ? `${countOf(total, "row")} can be imported.` : `Imported ${countOf(total, "row")}.`,
    );
  return 0;
}

function openState(cli: Cli, { config: files = [], dataDir: dataDirectory, store }: GlobalOptions) {
  return cli.openState({ files, dataDirectory, store, directory: terminal.directory() });
}

/** A bar from when it is known how much there is to do. */
function showProgressLater(): Disposable & { begin(total: number): void; add(): void } {
  let bar: ProgressBar | undefined;
  return {
    begin: (total) => {
      if (total > 0) bar = showProgress(total, 0);
    },
    add: () => bar?.add(true),
    [Symbol.dispose]: () => bar?.[Symbol.dispose](),
  };
}

/** To a file, or to standard output. */
export async function writeStream(
  file: string | undefined,
  text: AsyncIterable<string>,
): Promise<void> {
  if (file === undefined)
    await pipeline(Readable.from(text), terminal.stdout, { end: false }).catch(endQuietly);
  else await writeWhole(file, text);
}

/** Whole or not at all, and readable by the owner only. */
async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  const partFile = `${file}.part`;
  try {
    // A file that another user has put there must not get it.
    await rm(partFile, { force: true });
    await pipeline(Readable.from(lines), createWriteStream(partFile, { mode: 0o600, flags: "wx" }));
    await rename(partFile, file);
  } catch (thrown) {
    await rm(partFile, { force: true });
    throw unreadable(file, thrown);
  }
}

/** The reader of the output has read enough. */
function endQuietly(thrown: unknown): never {
  if ((thrown as NodeJS.ErrnoException).code === "EPIPE") throw new Interrupted("SIGPIPE");
  throw thrown;
}

function unreadable(file: string, thrown: unknown): unknown {
  const { code } = thrown as NodeJS.ErrnoException;
  const isOfFile = typeof code === "string" && /^E[A-Z]+$/.test(code);
  if (!isOfFile) return thrown;
  const message = `'${file}' cannot be used: ${fileErrorText(thrown)}. Check the path.`;
  return new PlaneError("USAGE", message, { cause: thrown });
}
