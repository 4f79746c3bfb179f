import { errorText } from "@toolplane/core/lib/text/error-text";
import { type ErrorData, PlaneError } from "@toolplane/core/model/errors";
import { stringOrEmpty } from "@toolplane/core/model/json";

const refused = "already holds this id, or a field is missing. Record each thing once and in full";
const slow = "was busy for too long. Try again later, or look for what holds its locks";
const full = "has no room left. Free some space on its disk, then try again";
const forbidden =
  "does not let this user do this. Grant it the rights that docs/stores.md lists, or name another user";
const credentials = "does not know this user or password. Correct them in the store's address";
const noPassword =
  "asks for a password, and its address has none. Set PGPASSWORD, or put a variable into the address";
const noTls = "does not speak TLS. Switch it on there, or take 'sslmode' out of the address";
const certificate =
  "has a certificate that is not valid here. Name its authority with 'sslrootcert', and the host as it stands in it";
const noDatabase = "does not have this database. Create it, or name another one";
const readOnly = "is a copy that takes no writes. Name the primary server";
const noMemory = "has no memory left. Give its server more, then try again";
/** An administrator can fix these while we run, so the write is tried again. */
const mendable = [full, noMemory, forbidden, credentials, noDatabase];
/** After a fail-over an old connection may lead to a replica; a new one leads to the primary. */
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

/** The connection was lost or could not be made; the statement may be repeated. */
const lostCodes = new Set([
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "53300",
  readOnlyCode,
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENOENT",
]);
/** The library has no codes for these. */
const lostWords =
  /connection (?:terminated|ended)|timeout expired|query read timeout|client was closed|not queryable|connection error/i;
/** The pool had no free connection. The server may be fine. */
const waitedWords = /timeout exceeded when trying to connect/i;

/** No answer at all, not a refusal. */
const silentWords = /timeout expired|connection timeout|query read timeout/i;

export function isSilence(thrown: unknown): boolean {
  return codeOf(thrown) === "ETIMEDOUT" || silentWords.test(errorText(thrown));
}

export function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof PlaneError) return thrown.data.lost === true;
  const code = codeOf(thrown);
  return lostCodes.has(code) || code.startsWith("08") || lostWords.test(errorText(thrown));
}

/** An error that names the store and the remedy. Callers read it, so it has neither the address nor the statement. */
export function postgresFailure(shown: string, thrown: unknown): PlaneError {
  if (thrown instanceof PlaneError) return thrown;
  const code = codeOf(thrown);
  if (isConnectionLost(thrown))
    return storeLost(shown, code === readOnlyCode ? readOnly : undefined);
  if (waitedWords.test(errorText(thrown))) return storeBusy(shown);
  const trouble =
    troubles[code] ?? troubles[code.slice(0, 2)] ?? setupTrouble(code, errorText(thrown));
  const problem = trouble ?? `could not do this (${code || "no code"}). Its own log says why`;
  return new PlaneError("STORE_FAILED", `The ${shown} ${problem}.`, {
    data: dataOf(trouble),
    cause: code === "" ? thrown : Object.assign(new Error(`SQLSTATE ${code}`), { code }),
  });
}

/** `locked`: the whole batch waits, instead of each part of it in turn. */
function dataOf(trouble: string | undefined): ErrorData {
  if (trouble === slow) return { locked: true, busy: true };
  const isMendable = trouble !== undefined && mendable.includes(trouble);
  return isMendable ? { locked: true, later: true } : {};
}

/** What is wrong with the address or the server, and has no SQLSTATE. */
function setupTrouble(code: string, message: string): string | undefined {
  if (/password must be a (?:non-empty )?string/i.test(message)) return noPassword;
  if (/does not support SSL/i.test(message)) return noTls;
  return /CERT|UNABLE_TO_(?:GET|VERIFY)/.test(code) ? certificate : undefined;
}

const unreachable =
  "cannot be reached right now. It is tried again all the time; ask again in a moment";

export function storeLost(shown: string, problem = unreachable): PlaneError {
  return new PlaneError("STORE_FAILED", `The ${shown} ${problem}.`, {
    data: { lost: true, locked: true },
  });
}

/** Nothing was sent, so it may be repeated. */
function storeBusy(shown: string): PlaneError {
  return new PlaneError(
    "STORE_FAILED",
    `The ${shown} is overloaded: every connection of this plane was in use for too long. Try again in a moment; if it stays so, look for what holds its locks.`,
    { data: { busy: true, locked: true } },
  );
}

/** Thrown by `ping` when the server is read-only. */
export function takesNoWrites(): Error {
  return Object.assign(new Error("the server takes no writes"), { code: readOnlyCode });
}

/** For the operator: what the server or the network reported. */
export function reasonOf(thrown: unknown): string {
  const message = errorText(thrown);
  // Several addresses of one host were tried.
  if (thrown instanceof AggregateError && message === "")
    return thrown.errors.map(errorText).join("; ");
  return message;
}

function codeOf(thrown: unknown): string {
  const { code } = (thrown ?? {}) as { code?: unknown };
  return stringOrEmpty(code);
}
