import { maskSecrets } from "../config/config.ts";
import { nowText, uniqueId } from "../lib/ids-and-time.ts";
import { sameJson } from "../lib/json/plain-data.ts";
import { hashText } from "../lib/json/stable-json.ts";
import type { AuditedWork, PlaneAudit } from "../model/audit.ts";
import type { AuditRecord } from "../model/audit-schema.ts";
import { checkVerifyOptions, type VerifyOptions } from "../model/calls/call-history.ts";
import { type ErrorCode, PlaneError, toPlaneError } from "../model/errors.ts";
import { isObject, type Json, stringOrNull, type UnknownObject } from "../model/json.ts";
import { noCursor } from "../model/page.ts";
import { type Caller, type Face, type Principal, requireScope } from "../model/principal.ts";
import type { Store } from "../model/store.ts";

/** Characters of one value in a record; of a larger one only its hash is kept. */
const maxShownCharacters = 16_384;
const defaultPage = 50;

type Parts = {
  recorder: {
    store(): Promise<Store>;
    storeOf(principal: Principal): Promise<Store>;
    /** Rejects only where nothing may be answered without its record. */
    recordChange(record: AuditRecord, isDone: boolean): Promise<void>;
    requireRoom(): void;
  };
  /** Turns masked values into ones that can be compared. */
  hmacKey(): Promise<string | undefined>;
  /** After so many days calls and changes are removed. */
  retention?(): Pick<VerifyOptions, "keepDays">;
  defaultPrincipal: Principal;
  /** Of changes that name none. */
  face: Face;
};

/** Records who changed what. The record is taken before the answer is given. */
export function createAudit({
  recorder,
  hmacKey,
  retention,
  defaultPrincipal,
  face: ownFace,
}: Parts) {
  const readable = async (value: unknown): Promise<Json> =>
    boundedJson(hide(value, await hmacKey()));

  async function recordChange(
    work: AuditedWork,
    caller: Caller,
    outcome: WorkOutcome,
    before: unknown,
    after: unknown,
  ): Promise<void> {
    const { principal = defaultPrincipal, face = ownFace, address = null } = caller;
    const [changedFrom, changedTo] =
      isObject(before) && isObject(after) ? changedFields(before, after) : [before, after];
    const target = typeof work.target === "function" ? work.target(outcome.value) : work.target;
    const record: AuditRecord = {
      id: uniqueId(),
      at: nowText(),
      operation: work.operation,
      target: stringOrNull(target),
      user: principal.user,
      key: principal.key ?? null,
      face,
      address,
      input: await readable(work.input),
      before: await readable(changedFrom),
      after: await readable(changedTo),
      ok: outcome.code === null,
      code: outcome.code,
    };
    await recorder.recordChange(record, outcome.code === null);
  }

  async function run<T>(change: AuditedWork, caller: Caller, work: () => Promise<T>): Promise<T> {
    const snapshot = async () => (await change.snapshot?.()) ?? null;
    recorder.requireRoom();
    const before = await snapshot().catch(() => null);
    try {
      const value = await work();
      const after = (await snapshot().catch(() => null)) ?? change.after?.(value) ?? null;
      await recordChange(change, caller, { code: null, value }, before, after);
      return value;
    } catch (thrown) {
      const { code } = toPlaneError(thrown);
      if (code !== "RECORD_FAILED")
        await recordChange(change, caller, { code, value: undefined }, before, null);
      throw thrown;
    }
  }

  const forAdmin = ({ principal = defaultPrincipal }: Caller = {}) => {
    requireScope(principal, "admin", "read the record of changes");
    return principal;
  };

  const audit: PlaneAudit = {
    run,
    async list(filter = {}, caller) {
      const store = await recorder.storeOf(forAdmin(caller));
      const records = await store.audit({ limit: defaultPage, ...filter });
      const { before } = filter;
      if (records.length === 0 && before !== undefined && (await store.audited(before)) === null)
        throw noCursor(before);
      return records;
    },
    async get(id, caller) {
      const record = await (await recorder.storeOf(forAdmin(caller))).audited(id);
      if (record !== null) return record;
      throw new PlaneError(
        "NOT_FOUND",
        `No change '${id}' is recorded. 'toolplane audit list' shows those that are.`,
      );
    },
    async verify(options = {}, caller) {
      forAdmin(caller);
      const store = await recorder.store();
      const verifyOptions = { ...retention?.(), ...checkVerifyOptions(options) };
      const changes = await store.verifyAudit(verifyOptions);
      const calls = await store.verifyCalls(verifyOptions);
      // The hash is one of either chain.
      const isHeadFound =
        options.head === undefined || changes.headFound === true || calls.headFound === true;
      const isUnbroken = [changes, calls].every(
        ({ broken, lost }) => broken === null && lost.length === 0,
      );
      const { verifyRoots } = await import("./roots/verify-roots.ts");
      const roots = await verifyRoots(store, verifyOptions);
      return { ok: isUnbroken && isHeadFound && roots.ok, changes, calls, roots };
    },
  };
  return { audit, run };
}

type WorkOutcome = { code: ErrorCode | null; value: unknown };

/** Only the fields that differ; of maps of named things, such as servers, only the names that do. */
function changedFields(
  before: UnknownObject,
  after: UnknownObject,
  depth = 2,
): [UnknownObject, UnknownObject] {
  const changedBefore: Record<string, unknown> = {};
  const changedAfter: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const fieldBefore = before[name];
    const fieldAfter = after[name];
    if (sameJson(fieldBefore, fieldAfter)) continue;
    [changedBefore[name], changedAfter[name]] =
      depth > 1 && isObject(fieldBefore) && isObject(fieldAfter)
        ? changedFields(fieldBefore, fieldAfter, depth - 1)
        : [fieldBefore, fieldAfter];
  }
  return [changedBefore, changedAfter];
}

/** Secrets are masked, or with a key replaced by their HMAC, so that equal ones can be recognised. */
function hide(value: unknown, key: string | undefined): Json {
  const plain: unknown = value === undefined ? null : JSON.parse(JSON.stringify(value));
  const masked = maskSecrets(plain);
  return key === undefined ? masked : sealSecrets(plain, masked, key);
}

function sealSecrets(plain: unknown, masked: Json, key: string): Json {
  if (Array.isArray(plain) && Array.isArray(masked))
    return plain.map((element, index) => sealSecrets(element, masked[index] ?? null, key));
  if (isObject(plain) && isObject(masked))
    return Object.fromEntries(
      Object.entries(plain).map(([name, inner]) => [
        name,
        sealSecrets(inner, masked[name] ?? null, key),
      ]),
    );
  if (plain === masked || (typeof plain !== "string" && typeof plain !== "number")) return masked;
  const { createHmac } = process.getBuiltinModule("node:crypto");
  return `hmac-sha256:${createHmac("sha256", key).update(String(plain)).digest("hex")}`;
}

function boundedJson(json: Json): Json {
  const text = JSON.stringify(json);
  return text.length <= maxShownCharacters ? json : { omitted: text.length, hash: hashText(text) };
}
