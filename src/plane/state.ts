import type { Hash } from "node:crypto";
import { processEnvironment } from "../config/environment.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject } from "../model/json.ts";
import {
  type OpenedState,
  type StateLine,
  type StateReport,
  type StateRow,
  type StateTable,
  type StateVerbs,
  stateTables,
} from "../model/state.ts";
import type { Store } from "../model/store.ts";
import { openStore, requireStoreAddress } from "./open-store.ts";
import type { PlaneOptions } from "./options.ts";
import { createSettings } from "./settings.ts";

const format = "toolplane-state";
const version = 1;
const tables = Object.keys(stateTables) as StateTable[];

/** The store of a configuration without a plane around it, so that nothing is added to it by looking. */
export async function openState(
  options: Pick<PlaneOptions, "config" | "dataDirectory" | "store">,
): Promise<OpenedState> {
  const { config } = await createSettings(options.config, processEnvironment());
  const address = requireStoreAddress(options.store ?? config().store);
  const { store } = await openStore(address, options.dataDirectory);
  return { ...createStateVerbs(async () => store), [Symbol.asyncDispose]: () => store.close() };
}

/** The whole state of a store, out of any kind and into any other. */
function createStateVerbs(store: () => Promise<Store>): StateVerbs {
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
      yield add(JSON.stringify({ format, version }));
      let samples = 0;
      for await (const { table, row } of (await store()).readAll()) {
        // Samples are counted anew: their numbers only say in which order they came.
        const numbered = table === "samples" ? { ...row, sequence: ++samples } : row;
        yield add(JSON.stringify({ table, row: numbered }));
      }
      yield JSON.stringify({ hash: hash.digest("hex") });
    },
    async importState(open, { dryRun = false, onChecked, onRow } = {}) {
      const report = await check(open());
      onChecked?.(Object.values(report.rows).reduce((sum, count) => sum + count, 0));
      const kept = await store();
      for (const table of tables) if ((await kept.countRows(table)) > 0) throw notEmpty(table);
      if (dryRun) return report;
      const taken = await kept.writeAll(() => linesOf(open(), report.hash, onRow));
      if (taken !== null) throw notEmpty(taken);
      return report;
    },
  };
}

/** Everything is read once before anything is written. */
async function check(lines: AsyncIterable<string>): Promise<StateReport> {
  const rows: StateReport["rows"] = {};
  const hash = newHash();
  let [number, found]: [number, string | null] = [0, null];
  for await (const text of lines) {
    number += 1;
    if (found !== null) throw wrong(number, "something follows the end");
    const said = parse(text, number);
    if (number === 1 && (said.format !== format || said.version !== version))
      throw wrong(1, `this is no export of version ${version}`);
    if (typeof said.hash === "string") {
      found = said.hash;
      continue;
    }
    hash.update(`${text}\n`);
    if (number === 1) continue;
    const line = asLine(said);
    if (line === null) throw wrong(number, "no table of ours is named");
    rows[line.table] = (rows[line.table] ?? 0) + 1;
  }
  if (found === null) throw wrong(number + 1, "the end is missing: the export broke off");
  if (found !== hash.digest("hex"))
    throw wrong(number, "the hash does not fit: a line was changed, or is missing");
  return { rows, hash: found };
}

function parse(text: string, number: number) {
  try {
    const said: unknown = JSON.parse(text);
    if (isObject(said)) return said;
  } catch {
    // Told below.
  }
  throw wrong(number, "it is no JSON object");
}

function asLine({ table, row }: Record<string, unknown>): StateLine | null {
  const known = tables.find((name) => name === table);
  return known === undefined || !isObject(row) ? null : { table: known, row: row as StateRow };
}

/** The rows of a file that was checked. Should it have changed since, nothing of it may be kept. */
async function* linesOf(
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

function wrong(line: number, why: string): PlaneError {
  return new PlaneError(
    "USAGE",
    `Line ${line} of the export: ${why}. Nothing was imported; export it again.`,
  );
}

function notEmpty(table: StateTable): PlaneError {
  return new PlaneError(
    "USAGE",
    `The store has rows in '${table}' already, and two histories cannot become one. Nothing was imported; name an empty store with --store or --data-dir.`,
    { data: { table } },
  );
}
