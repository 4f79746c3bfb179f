import { existsSync, readFileSync } from "node:fs";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { AuditCheck, AuditRecord, RootCheck } from "../../../model/audit-schema.ts";
import type { VerifyOptions } from "../../../model/calls/call-history.ts";
import { auditOperations } from "../../../operations/declared/audit.ts";
import { colors, joinLines, renderFacts, renderMoment } from "../terminal/output.ts";
import { viewsOf } from "../view.ts";
import { renderChain, renderRecords } from "./calls/render-call.ts";

const view = viewsOf(auditOperations);

export const listAuditedChanges = view("audit.list", {
  table: {
    rows: "records",
    none: "No change is recorded.",
    columns: {
      at: { title: "WHEN", text: renderMoment },
      id: "ID",
      user: {
        title: "USER",
        text: (user, { key }) => (key === null ? user : `${user ?? "-"} (${key})`),
      },
      face: {
        title: "FROM",
        text: (face, { address }) => (address === null ? face : `${face} ${address}`),
      },
      operation: "OPERATION",
      target: "TARGET",
      ok: { title: "OUTCOME", text: (ok, { code }) => (ok ? "done" : code) },
    },
  },
});

export const showChange = view("audit.get", {
  text: renderChange,
  json: (record) => ({ record }),
});

function renderChange({ input, before, after, ...record }: AuditRecord): string {
  const json = (value: unknown) => (value === null ? null : plainText(JSON.stringify(value)));
  return [
    `${colors.bold(plainText(record.operation))} ${colors.dim(record.id)}`,
    ...renderFacts(9, [
      ["outcome", record.ok ? "done" : record.code],
      ["at", record.at],
      ["by", record.user ?? "anonymous"],
      ["key", record.key],
      ["from", [record.face, record.address ?? ""].join(" ").trim()],
      ["target", record.target],
      ["input", json(input)],
      ["before", json(before)],
      ["after", json(after)],
    ]),
  ].join("\n");
}

/** Exported roots of some months have to fit into a message to the plane that serves. */
const maxRootCharacters = 32 * 1024 * 1024;

/** The end of a file with exported roots; where there is no such file, the option is the hash of a root. */
function readRoot(rootOption: string): string {
  if (!existsSync(rootOption)) return rootOption;
  const text = readFileSync(rootOption, "utf8");
  if (text.length <= maxRootCharacters) return text;
  return text.slice(text.indexOf("\n", text.length - maxRootCharacters) + 1);
}

export const verifyAudit = view("audit.verify", {
  input: ({ root }) => withoutUndefined({ root: root && readRoot(root) }),
  text: renderCheck,
  exitCode: ({ ok }) => (ok ? 0 : 1),
});

function renderCheck(
  { ok, changes, calls, roots }: AuditCheck,
  { input: { head } }: { input: VerifyOptions },
): string {
  // The head may be of either chain, so it has a sentence of its own.
  const headFound = null;
  const paragraphs = [
    renderRecords({ ...changes, headFound }, "change"),
    renderChain({ ...calls, headFound }),
  ];
  if (head !== undefined)
    paragraphs.push(
      ok
        ? "The hash you gave is in the record."
        : "The record is broken, or the hash you gave is not in it.",
    );
  return [...paragraphs, renderRoots(roots)].join("\n\n");
}

function renderRoots({
  roots,
  newest,
  broken,
  rootFound,
  rootProblem,
  missing,
}: RootCheck): string {
  return joinLines(
    broken
      ? `Root ${broken.number} of ${broken.at} proves nothing: ${broken.reason}.`
      : `${countOf(roots, "root")} over all chains; none was changed or removed in between.`,
    missing.map(
      (root) =>
        `Records of the chain ${root.chain} that were there on ${root.at} are gone or changed.`,
    ),
    rootProblem !== null && `What you gave proves less: ${rootProblem}.`,
    rootFound === false && "The root you gave is not among them: the end was removed or rewritten.",
    rootFound === true && "The root you gave is among them.",
    newest !== null && !broken && `Newest root: ${newest.hash}. Keep it elsewhere.`,
  );
}
