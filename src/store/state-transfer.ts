import type { Hash } from "node:crypto";
import { lastUnnotedVersion } from "../lib/migrations.ts";
import { shorten } from "../lib/text/cut-text.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import {
  openedTable,
  type StateLine,
  type StateReport,
  type StateRow,
  type StateTable,
  type StateVerbs,
  type Store,
  stateTables,
} from "../model/store.ts";

/** The first line of an export. */
const stateHeader = { format: "toolplane-state", version: 1 };
const tables = Object.keys(stateTables) as StateTable[];

type Columns = ReadonlyMap<string, ReadonlySet<string>>;

/** Exports the whole state of a store, and imports it into any other kind of store. */
export function createStateVerbs(store: () => Promise<Store>): StateVerbs {
  return {
    async countState() {
      const opened = await store();
      const counts = await Promise.all(tables.map((table) => opened.countRows(table)));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    async *exportState() {
      const hash = newHash();
      const add = (line: string) => {
        hash.update(`${line}\n`);
        return line;
      };
      yield add(JSON.stringify(stateHeader));
      let samples = 0;
      for await (const { table, row } of (await store()).readAll()) {
        // The numbers of samples only give their order.
        const exported = table === "samples" ? { ...row, sequence: ++samples } : row;
        yield add(JSON.stringify({ table, row: exported }));
      }
      yield JSON.stringify({ hash: hash.digest("hex") });
    },
    async importState(open, { dryRun = false, onChecked, onRow } = {}) {
      const opened = await store();
      const report = await checkState(open(), await stateColumnsOf(opened));
      onChecked?.(Object.values(report.rows).reduce((sum, count) => sum + count, 0));
      for (const table of tables)
        if (table !== openedTable && (await opened.countRows(table)) > 0) throw notEmpty(table);
      if (dryRun) return report;
      const versionLines = report.rows[openedTable] === undefined ? [unnotedVersion] : [];
      const filledTable = await opened.writeAll(async function* () {
        yield* versionLines;
        yield* stateLinesOf(open(), report.hash, onRow);
      });
      if (filledTable !== null) throw notEmpty(filledTable);
      return report;
    },
  };
}

/** An export without versions comes from one that did not note them. */
const unnotedVersion: StateLine = {
  table: openedTable,
  row: { version: lastUnnotedVersion, since: new Date(0).toISOString() },
};

async function stateColumnsOf(store: Store): Promise<Columns> {
  const entries = tables.map(
    async (table) => [table, new Set(await store.stateColumns(table))] as const,
  );
  return new Map(await Promise.all(entries));
}

/** Checks the whole export before anything is written. */
async function checkState(lines: AsyncIterable<string>, columns: Columns): Promise<StateReport> {
  const rows: StateReport["rows"] = {};
  const hash = newHash();
  let [lineNumber, writtenHash]: [number, string | null] = [0, null];
  for await (const text of lines) {
    lineNumber += 1;
    if (writtenHash !== null) throw invalidLine(lineNumber, "something follows the end");
    const line = parse(text, lineNumber);
    if (lineNumber === 1) checkHeader(line);
    if (typeof line.hash === "string") {
      writtenHash = line.hash;
      continue;
    }
    hash.update(`${text}\n`);
    if (lineNumber === 1) continue;
    const { table } = checkLine(line, lineNumber, columns);
    rows[table] = (rows[table] ?? 0) + 1;
  }
  if (writtenHash === null)
    throw invalidLine(lineNumber + 1, "the end is missing: the export broke off");
  if (writtenHash !== hash.digest("hex"))
    throw invalidLine(lineNumber, "the hash does not match: a line was changed, or is missing");
  return { rows, hash: writtenHash };
}

function checkHeader(header: Record<string, unknown>): void {
  if (header.format !== stateHeader.format)
    throw invalidLine(1, "this is not a state export", "name a file of 'state export'");
  if (header.version !== stateHeader.version)
    throw invalidLine(
      1,
      `it is of version ${JSON.stringify(header.version)}, and this installation knows ${stateHeader.version}`,
      update,
    );
}

/** Unknown tables and columns would be lost silently. */
function checkLine(
  parsed: Record<string, unknown>,
  lineNumber: number,
  columns: Columns,
): StateLine {
  const line = asLine(parsed);
  if (line === null && typeof parsed.table === "string" && !columns.has(parsed.table))
    throw invalidLine(
      lineNumber,
      `this installation has no table '${shorten(parsed.table)}'`,
      update,
    );
  if (line === null) throw invalidLine(lineNumber, "it is not a table row");
  const unknownColumn = Object.keys(line.row).find((name) => !columns.get(line.table)?.has(name));
  if (unknownColumn !== undefined)
    throw invalidLine(
      lineNumber,
      `this installation has no column '${shorten(unknownColumn)}' in the table '${line.table}'`,
      update,
    );
  return line;
}

function parse(text: string, lineNumber: number) {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isObject(parsed)) return parsed;
  } catch {
    // Reported below.
  }
  throw invalidLine(lineNumber, "it is not a JSON object");
}

function asLine({ table, row }: Record<string, unknown>): StateLine | null {
  const knownTable = tables.find((name) => name === table);
  if (knownTable === undefined || !isObject(row) || Object.values(row).some(isCompound))
    return null;
  return { table: knownTable, row: row as StateRow };
}

function isCompound(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The rows of a checked file. Throws, and so rolls back, if the file changed since. */
async function* stateLinesOf(
  texts: AsyncIterable<string>,
  checkedHash: string,
  onRow: (() => void) | undefined,
): AsyncIterable<StateLine> {
  const hash = newHash();
  let end = "";
  for await (const text of texts) {
    const parsed = JSON.parse(text) as Record<string, unknown>;
    if (typeof parsed.hash === "string") end = parsed.hash;
    else hash.update(`${text}\n`);
    const line = asLine(parsed);
    if (line === null) continue;
    yield line;
    onRow?.();
  }
  if (end !== checkedHash || hash.digest("hex") !== checkedHash)
    throw new PlaneError(
      "USAGE",
      "The export was changed while it was read. Nothing was imported; try again.",
    );
}

function newHash(): Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

const update = "update this installation to the version that made the export";

function invalidLine(line: number, reason: string, remedy = "export it again"): PlaneError {
  return new PlaneError(
    "USAGE",
    `Line ${line} of the export: ${reason}. Nothing was imported; ${remedy}.`,
  );
}

function notEmpty(table: StateTable): PlaneError {
  return new PlaneError(
    "USAGE",
    `The store has rows in '${table}' already, and two histories cannot become one. Nothing was imported; name an empty store with --store or --data-dir.`,
    { data: { table } },
  );
}
