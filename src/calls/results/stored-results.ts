import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { hash } from "../../lib/json/stable-json.ts";
import { cutText } from "../../lib/text/cut-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import { artifactLines, artifactTexts } from "../../model/calls/artifact-texts.ts";
import type { Executed, Outcome, Requested } from "../../model/calls/call.ts";
import { type ArtifactResult, readArtifacts, type ToolResult } from "../../model/calls/result.ts";
import type { ResultPage, StoredResult } from "../../model/calls/result-schema.ts";
import type {
  KeptResult,
  ResultHandle,
  ResultList,
  ResultQuery,
  ResultShape,
} from "../../model/calls/stored-result.ts";
import type { ConfigValues } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { ErrorReport } from "../../model/errors-schema.ts";
import type { Json } from "../../model/json.ts";
import { collectPages } from "../../model/page.ts";
import { mayDo, ownerOf, ownsRecord, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { Bucket } from "./bucket.ts";
import { type Condensed, condense, type ResultBody } from "./condense.ts";
import { renderDigest } from "./digest.ts";
import { badParameter, readPage } from "./read-page.ts";

type Table = { columns: string[]; rows: number };

/** Rows that must agree to be a table. */
const tableSampleRows = 20;
const minTableRows = 3;
const maxColumns = 60;
const separators = ["\t", ",", ";", "|"];

function readTable(text: string): Table | null {
  for (const separator of separators) {
    const rows = firstRows(text, separator);
    const [head = []] = rows;
    if (rows.length < minTableRows || head.length < 2) continue;
    if (head.some((name) => name.trim() === "" || name.length > 200)) continue;
    if (rows.every((row) => row.length === head.length))
      return {
        columns: head.slice(0, maxColumns).map((name) => name.trim()),
        rows: countRows(text) - 1,
      };
  }
  return null;
}

function firstRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (const character of text.slice(0, 200_000)) {
    const ends = !isQuoted && (character === separator || character === "\n");
    if (character === '"') isQuoted = !isQuoted;
    else if (!ends) cell += character;
    if (!ends) continue;
    row.push(character === "\n" ? cell.replace(/\r$/, "") : cell);
    cell = "";
    if (character !== "\n") continue;
    if (rows.push(row) === tableSampleRows) return rows;
    row = [];
  }
  if (row.length > 0 || cell !== "") rows.push([...row, cell]);
  return rows;
}

/** Line breaks within quotes end no row. */
function countRows(text: string): number {
  let rows = 0;
  let isQuoted = false;
  let lastEnd = -1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 34) isQuoted = !isQuoted;
    if (code !== 10 || isQuoted) continue;
    rows += 1;
    lastEnd = index;
  }
  if (lastEnd < text.length - 1) return rows + 1;
  return rows;
}

const maxDepth = 3;
const maxKeys = 30;
/** Entries that decide what a list holds. */
const sampledEntries = 100;

export function shapeOf({ text, json }: ResultBody): ResultShape {
  if (json !== undefined) return { kind: "json", value: describe(json, maxDepth) };
  const table = readTable(text);
  if (table) return { kind: "table", ...table };
  return { kind: "text", lines: countLines(text), characters: text.length };
}

function describe(value: Json, depth: number): Json {
  if (Array.isArray(value))
    return depth === 0 ? `list of ${value.length}` : describeList(value, depth);
  if (typeof value !== "object" || value === null) return typeOf(value);
  const keys = Object.keys(value);
  if (depth === 0) return `object with ${countOf(keys.length, "key")}`;
  const members = keys
    .slice(0, maxKeys)
    .map((key) => [key, describe(value[key] as Json, depth - 1)]);
  if (keys.length > maxKeys) members.push(["…", countOf(keys.length - maxKeys, "more key")]);
  return Object.fromEntries(members) as Json;
}

function describeList(list: Json[], depth: number): Json {
  const types = [...new Set(list.slice(0, sampledEntries).map(typeOf))];
  const [first] = list;
  const entryShape =
    types.length === 1 && first !== undefined ? describe(first, depth - 1) : types.join(" or ");
  if (list.length === 0) return "list of 0";
  return { length: list.length, each: entryShape };
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return typeof value;
}

function countLines(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lines += 1;
  if (!text.endsWith("\n")) return lines;
  return lines - 1;
}

type Packed = Pick<KeptResult, "body" | "isCompressed" | "hash">;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
/** Quick rather than small: a caller waits. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

async function pack(result: ToolResult): Promise<Packed> {
  const jsonBytes = Buffer.from(JSON.stringify(result));
  const small = await compress(jsonBytes, quality);
  const isCompressed = small.length < jsonBytes.length;
  return { body: isCompressed ? small : jsonBytes, isCompressed, hash: hashOf(jsonBytes) };
}

async function unpack({ body, isCompressed, hash }: Packed): Promise<ToolResult> {
  const jsonBytes = isCompressed ? await decompress(body).catch(() => null) : Buffer.from(body);
  if (jsonBytes && hashOf(jsonBytes) === hash)
    return JSON.parse(jsonBytes.toString()) as ToolResult;
  const text =
    "This stored result is damaged. Call the tool again, and check the disk of the store.";
  throw new PlaneError("STORE_FAILED", text);
}

function hashOf(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes);
}

const defaultListed = 50;
const maxListed = 1_000;

type ResultParts = {
  /** Null where none is configured. */
  bucket(): Promise<Bucket> | null;
  store(): Promise<Pick<Store, "putResult" | "result" | "results">>;
  settings(): ConfigValues["results"];
  /** Null when the model has no such tool. */
  readTool(): string | null;
};

/** Kept for a while, and read in parts by their owner. */
export function createStoredResults(parts: ResultParts) {
  const { store, bucket, readTool } = parts;

  async function ownResult(id: string, reader: Principal) {
    const keptResult = await (await store()).result(id);
    return keptResult && ownsRecord(reader, keptResult) ? keptResult : null;
  }

  /** A packed result is never empty: one without content in the store has it in the bucket. */
  async function withBody(keptResult: KeptResult): Promise<KeptResult> {
    if (keptResult.body.length > 0) return keptResult;
    const body = (await (await bucket())?.get(keptResult.id, keptResult.bytes)) ?? null;
    if (body === null) throw unknownResult(keptResult.id);
    return { ...keptResult, body };
  }

  return {
    /** Above `limit` its handle is returned. */
    async shorten(
      call: Requested & Partial<Executed>,
      outcome: Outcome,
      limit: number,
    ): Promise<Outcome> {
      const { result } = outcome;
      if (!result) return outcome;
      const keepsStructured =
        call.tool?.outputSchema !== undefined && call.options.maxResultBytes === undefined;
      const condensed = condense(result, { limit, keepsStructured });
      if (!condensed) return outcome;
      const { length: characters } = condensed.body.text;
      const keptResult = await keep(parts, { call, tool: outcome.call.tool, result, characters });
      if (!keptResult) {
        outcome.call.warnings.push(
          "This result is larger than everything that may be kept ('results.maxStoredBytes'), so it is given whole.",
        );
        return outcome;
      }
      // A person reads on with a command, not with a tool.
      const isForPerson = call.face === "cli" || call.face === "workbench";
      const isForModel = call.face === "mcp" || call.face === "agent";
      const files = isForModel ? readArtifacts(result) : null;
      const handle = handleOf(keptResult, condensed, limit);
      const stored = files === null ? handle : withFiles(handle, files, limit);
      const digest = renderDigest(stored, isForPerson ? null : readTool(), isForModel);
      const shorter = assemble(condensed, digest);
      if (outcome.ok) return { ...outcome, result: shorter, stored };
      return { ...outcome, result: shorter, error: shortError(outcome.error, stored), stored };
    },
    async read(id: string, query: ResultQuery, reader: Principal): Promise<ResultPage> {
      const keptResult = await ownResult(id, reader);
      if (!keptResult || Date.parse(keptResult.expiresAt) <= Date.now()) throw unknownResult(id);
      const { tool, callId, expiresAt } = keptResult;
      return {
        id,
        tool,
        callId,
        expiresAt,
        ...(await readPage(await unpack(await withBody(keptResult)), query)),
      };
    },
    async list(
      filter: { limit?: number; cursor?: string },
      reader: Principal,
    ): Promise<ResultList> {
      const { limit = defaultListed, cursor } = filter;
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > maxListed)
        throw badParameter("limit", limit, `give a whole number from 1 to ${maxListed}`);
      // The end of the last page may be gone, and nothing follows it.
      if (cursor !== undefined && !(await ownResult(cursor, reader)))
        throw badParameter(
          "cursor",
          cursor,
          "it is none of ours, or that result is gone. Leave it out to begin again",
        );
      const ownerFilter = mayDo(reader, "admin") ? {} : { user: reader.user };
      const pageStart = withoutUndefined({ before: cursor });
      const { results: read } = await store();
      const isOwn = (listed: StoredResult) => ownsRecord(reader, listed);
      const visible = await collectPages((part) => read({ ...ownerFilter, ...part }), isOwn, {
        ...pageStart,
        limit: limit + 1,
      });
      const results = visible.slice(0, limit).map(({ owner: _, ...shown }) => shown);
      return { results, nextCursor: visible.length > limit ? (results.at(-1)?.id ?? null) : null };
    },
  };
}

const emptyBody = new Uint8Array();

type Keeping = { call: Requested; tool: string; result: ToolResult; characters: number };

async function keep(
  { store, bucket, settings }: ResultParts,
  keeping: Keeping,
): Promise<KeptResult | null> {
  const { call, tool, result, characters } = keeping;
  const { keepMs, maxStoredBytes } = settings();
  const { user } = call.principal;
  const owner = ownerOf(call.principal);
  const packed = await pack(result);
  // The same content of one owner is one result.
  const id = `r_${hash([owner, packed.hash]).slice(0, 20)}`;
  const now = Date.now();
  const storedAt = new Date(now).toISOString();
  const expiresAt = new Date(now + keepMs).toISOString();
  const bytes = packed.body.length;
  const keptResult: KeptResult = {
    id,
    callId: call.id,
    tool,
    user,
    owner,
    at: storedAt,
    expiresAt,
    characters,
    bytes,
    ...packed,
  };
  // First the content: a row that is there can be read.
  const resultBucket = bytes > maxStoredBytes ? null : await bucket();
  const isElsewhere = (await resultBucket?.put(id, packed.body)) ?? false;
  const row = isElsewhere ? { ...keptResult, body: emptyBody } : keptResult;
  return (await (await store()).putResult(row, maxStoredBytes)) ? keptResult : null;
}

function handleOf(keptResult: KeptResult, { body, parts }: Condensed, limit: number): ResultHandle {
  const preview = cutText(body.text, Math.min(2_000, Math.max(200, Math.floor(limit / 4))));
  const { id, characters, expiresAt } = keptResult;
  return {
    id,
    characters,
    expiresAt,
    shape: shapeOf(body),
    preview,
    nextOffset: preview.length,
    parts,
  };
}

/** Of files a model reads the names: their bytes would fill the preview. */
function withFiles(handle: ResultHandle, files: ArtifactResult, limit: number): ResultHandle {
  const text = [...artifactLines(files), ...artifactTexts(files)].join("\n");
  return { ...handle, preview: cutText(text, Math.max(200, Math.floor(limit / 2))), nextOffset: 0 };
}

function assemble({ blocks, fields }: Condensed, digest: string): ToolResult {
  return { ...fields, content: blocks.map((block) => block ?? { type: "text", text: digest }) };
}

/** A quoted failure may be as long as its result. */
function shortError(error: ErrorReport, { preview, id }: ResultHandle): ErrorReport {
  if (error.message.length <= preview.length * 2) return error;
  return {
    ...error,
    message: `${cutText(error.message, preview.length)}… (the rest is kept as ${id})`,
  };
}

/** The same for an unknown, an expired and another user's result. */
function unknownResult(id: string): PlaneError {
  const remedy = "Call the tool again, or list what is kept: toolplane results list";
  return new PlaneError(
    "NOT_FOUND",
    `No result '${id.slice(0, 60)}' found; it may have expired. ${remedy}`,
  );
}
