import { PlaneError } from "../../model/errors.ts";

const refused = "already holds this id, or a field is missing. Record each thing once and in full";
const slow = "was busy for too long. Try again later, or look for what holds its locks";
const full = "has no room left. Free some space on its disk, then try again";
const forbidden =
  "does not let this user do this. Grant it the rights that docs/stores.md lists, or name another user";
const credentials = "does not know this user or password. Correct them in the store's address";
const noDatabase = "does not have this database. Create it, or name another one";
const readOnly = "is a copy that takes no writes. Name the primary server";
const noMemory = "has no memory left. Give its server more, then try again";
/** Somebody mends it while we run, so what is refused now is taken later. */
const mendable = [full, noMemory, forbidden, credentials, noDatabase];
/** After a fail-over an old connection may lead to what is a copy now; a new one leads to where writes are taken. */
const readOnlyCode = "25006";

/** SQLSTATE codes, whole or by their class. */
const troubles: { [code: string]: string } = {
  "23": refused,
  "28": credentials,
  [readOnlyCode]: readOnly,
  "3D000": noDatabase,
  "42501": forbidden,
  "53100": full,
  "53200": noMemory,
  "55P03": slow,
  "57014": slow,
};

/** The connection is gone or could not be made; what was asked may be asked again. */
const lostCodes = new Set([
  ...["57P01", "57P02", "57P03", "57P05", "53300", readOnlyCode],
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "ENOENT"],
]);
/** The library has no codes for these. */
const lostWords =
  /connection (?:terminated|ended)|timeout expired|query read timeout|client was closed|not queryable|connection error/i;
/** Nobody gave a connection back for so long. The server may be as well as ever. */
const waitedWords = /timeout exceeded when trying to connect/i;

/** Nobody said no: the server stands still, or nothing gets through to it. */
const silentWords = /timeout expired|connection timeout|query read timeout/i;

export function isSilence(thrown: unknown): boolean {
  return codeOf(thrown) === "ETIMEDOUT" || silentWords.test(messageOf(thrown));
}

export function isLost(thrown: unknown): boolean {
  if (thrown instanceof PlaneError) return thrown.data.lost === true;
  const code = codeOf(thrown);
  return lostCodes.has(code) || code.startsWith("08") || lostWords.test(messageOf(thrown));
}

/**
 * Whatever was thrown, as an error that names the store and the remedy. Callers read it, so it says neither where the
 * server stands nor what was in the statement.
 */
export function storeFailure(shown: string, thrown: unknown): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  const code = codeOf(thrown);
  if (isLost(thrown)) return storeLost(shown, code === readOnlyCode ? readOnly : undefined);
  if (waitedWords.test(messageOf(thrown))) return storeBusy(shown);
  const trouble = troubles[code] ?? troubles[code.slice(0, 2)];
  const told = trouble ?? `could not do this (${code || "no code"}). Its own log says why`;
  return new PlaneError("STORE_FAILED", `The ${shown} ${told}.`, {
    data: {
      // Who waited in vain has waited long enough for the whole batch. Nothing was done, so the same is taken later.
      ...(trouble === slow ? { locked: true, busy: true } : {}),
      ...(trouble !== undefined && mendable.includes(trouble) ? { locked: true, later: true } : {}),
    },
    cause: code === "" ? thrown : Object.assign(new Error(`SQLSTATE ${code}`), { code }),
  });
}

const away = "cannot be reached right now. It is tried again all the time; ask again in a moment";

export function storeLost(shown: string, why = away): PlaneError {
  return new PlaneError(
    "STORE_FAILED",
    `The ${shown} ${why}.`,
    // `locked`: who has a batch need not offer each part of it again.
    { data: { lost: true, locked: true } },
  );
}

/** Nothing was sent, so the same may be asked again. */
function storeBusy(shown: string): PlaneError {
  return new PlaneError(
    "STORE_FAILED",
    `The ${shown} has more to do than it gets done: every connection of this plane was in use for too long. Ask again in a moment; if it stays so, look for what holds its locks.`,
    { data: { busy: true, locked: true } },
  );
}

/** What `ping` throws where it gets an answer and nothing can be written. */
export function takesNoWrites(): Error {
  return Object.assign(new Error("the server takes no writes"), { code: readOnlyCode });
}

/** For whoever runs the plane: what the server or the network said. */
export function reasonOf(thrown: unknown): string {
  const message = messageOf(thrown);
  // Several addresses of one host were tried.
  if (thrown instanceof AggregateError && message === "")
    return thrown.errors.map((one) => messageOf(one)).join("; ");
  return message;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : "";
}
