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
      const kept = await store();
      const counts = await Promise.all(tables.map((table) => kept.countRows(table)));
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
        const numbered = table === "samples" ? { ...row, sequence: ++samples } : row;
        yield add(JSON.stringify({ table, row: numbered }));
      }
      yield JSON.stringify({ hash: hash.digest("hex") });
    },
    async importState(open, { dryRun = false, onChecked, onRow } = {}) {
      const kept = await store();
      const report = await checkState(open(), await stateColumnsOf(kept));
      onChecked?.(Object.values(report.rows).reduce((sum, count) => sum + count, 0));
      for (const table of tables)
        if (table !== openedTable && (await kept.countRows(table)) > 0) throw notEmpty(table);
      if (dryRun) return report;
      const unnoted = report.rows[openedTable] === undefined ? [unnotedVersion] : [];
      const taken = await kept.writeAll(async function* () {
        yield* unnoted;
        yield* stateLinesOf(open(), report.hash, onRow);
      });
      if (taken !== null) throw notEmpty(taken);
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
  const named = tables.map(
    async (table) => [table, new Set(await store.stateColumns(table))] as const,
  );
  return new Map(await Promise.all(named));
}

/** Checks the whole export before anything is written. */
async function checkState(lines: AsyncIterable<string>, columns: Columns): Promise<StateReport> {
  const rows: StateReport["rows"] = {};
  const hash = newHash();
  let [number, found]: [number, string | null] = [0, null];
  for await (const text of lines) {
    number += 1;
    if (found !== null) throw wrong(number, "something follows the end");
    const said = parse(text, number);
    if (number === 1) checkHeader(said);
    if (typeof said.hash === "string") {
      found = said.hash;
      continue;
    }
    hash.update(`${text}\n`);
    if (number === 1) continue;
    const { table } = checkLine(said, number, columns);
    rows[table] = (rows[table] ?? 0) + 1;
  }
  if (found === null) throw wrong(number + 1, "the end is missing: the export broke off");
  if (found !== hash.digest("hex"))
    throw wrong(number, "the hash does not match: a line was changed, or is missing");
  return { rows, hash: found };
}

function checkHeader(said: Record<string, unknown>): void {
  if (said.format !== stateHeader.format)
    throw wrong(1, "this is not a state export", "name a file of 'state export'");
  if (said.version !== stateHeader.version)
    throw wrong(
      1,
      `it is of version ${JSON.stringify(said.version)}, and this installation knows ${stateHeader.version}`,
      update,
    );
}

/** Unknown tables and columns would be lost silently. */
function checkLine(said: Record<string, unknown>, number: number, columns: Columns): StateLine {
  const line = asLine(said);
  if (line === null && typeof said.table === "string" && !columns.has(said.table))
    throw wrong(number, `this installation has no table '${shorten(said.table)}'`, update);
  if (line === null) throw wrong(number, "it is not a table row");
  const strange = Object.keys(line.row).find((name) => !columns.get(line.table)?.has(name));
  if (strange !== undefined)
    throw wrong(
      number,
      `this installation has no column '${shorten(strange)}' in the table '${line.table}'`,
      update,
    );
  return line;
}

function parse(text: string, number: number) {
  try {
    const said: unknown = JSON.parse(text);
    if (isObject(said)) return said;
  } catch {
    // Reported below.
  }
  throw wrong(number, "it is not a JSON object");
}

function asLine({ table, row }: Record<string, unknown>): StateLine | null {
  const known = tables.find((name) => name === table);
  if (known === undefined || !isObject(row) || Object.values(row).some(isCompound)) return null;
  return { table: known, row: row as StateRow };
}

function isCompound(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** The rows of a checked file. Throws, and so rolls back, if the file changed since. */
async function* stateLinesOf(
  texts: AsyncIterable<string>,
  checked: string,
  onRow: (() => void) | undefined,
): AsyncIterable<StateLine> {
  const hash = newHash();
  let end = "";
  for await (const text of texts) {
    const said = JSON.parse(text) as Record<string, unknown>;
    if (typeof said.hash === "string") end = said.hash;
    else hash.update(`${text}\n`);
    const line = asLine(said);
    if (line === null) continue;
    yield line;
    onRow?.();
  }
  if (end !== checked || hash.digest("hex") !== checked)
    throw new PlaneError(
      "USAGE",
      "The export was changed while it was read. Nothing was imported; try again.",
    );
}

function newHash(): Hash {
  return process.getBuiltinModule("node:crypto").createHash("sha256");
}

const update = "update this installation to the version that made the export";

function wrong(line: number, why: string, remedy = "export it again"): PlaneError {
  return new PlaneError(
    "USAGE",
    `Line ${line} of the export: ${why}. Nothing was imported; ${remedy}.`,
  );
}

function notEmpty(table: StateTable): PlaneError {
  return new PlaneError(
    "USAGE",
    `The store has rows in '${table}' already, and two histories cannot become one. Nothing was imported; name an empty store with --store or --data-dir.`,
    { data: { table } },
  );
}
