import { existsSync, readFileSync } from "node:fs";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { AuditRecord, RootCheck } from "../../../model/audit-schema.ts";
import type { VerifyOptions } from "../../../model/calls/call-history.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import {
  colors,
  joinLines,
  printPage,
  renderFacts,
  renderMoment,
  show,
  table,
} from "../terminal/output.ts";
import { command, withPlane } from "../with-plane.ts";
import { renderChain, toVerify } from "./call-history.ts";
import { pickOptions, toLimit } from "./option-values.ts";

const defaultPage = 50;

type ListOptions = TextOptions<"operation" | "target" | "by" | "limit" | "cursor">;

export const listAuditedChanges = command(
  async (plane, options: ListOptions) => {
    const limit = toLimit(options.limit) ?? defaultPage;
    const filter = withoutUndefined({
      ...pickOptions(options, "operation", "target"),
      user: options.by,
      before: options.cursor,
    });
    // One more than is shown tells whether there are more.
    const fetched = await plane.audit.list({ ...filter, limit: limit + 1 });
    const records = fetched.slice(0, limit);
    return { records, nextCursor: fetched.length > limit ? (records.at(-1)?.id ?? null) : null };
  },
  ({ records, nextCursor }) => printPage(renderChanges(records), nextCursor),
);

function renderChanges(records: readonly AuditRecord[]): string {
  return table(records, "No change is recorded.", {
    WHEN: (record) => renderMoment(record.at),
    ID: ({ id }) => id,
    USER: ({ user, key }) => (key === null ? user : `${user ?? "-"} (${key})`),
    FROM: ({ face, address }) => (address === null ? face : `${face} ${address}`),
    OPERATION: ({ operation }) => operation,
    TARGET: ({ target }) => target,
    OUTCOME: ({ ok, code }) => (ok ? "done" : code),
  });
}

export async function showChange(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  const record = await withPlane(cli, options, (plane) => plane.audit.get(id));
  show(options, { record }, () => renderChange(record));
}

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

/** Of exported roots, so that they fit into a message to the plane that serves: some months. */
const maxRootCharacters = 32 * 1024 * 1024;

/** A file with exported roots; what is no file is the hash of one. */
function readRoot(rootOption: string): string {
  if (!existsSync(rootOption)) return rootOption;
  const text = readFileSync(rootOption, "utf8");
  if (text.length <= maxRootCharacters) return text;
  return text.slice(text.indexOf("\n", text.length - maxRootCharacters) + 1);
}

export async function verifyAudit(
  cli: Cli,
  options: GlobalOptions & VerifyOptions,
): Promise<number> {
  const { root, key } = options;
  const verifyOptions = {
    ...toVerify(options),
    ...withoutUndefined({ root: root && readRoot(root), key }),
  };
  const check = await withPlane(cli, options, (plane) => plane.audit.verify(verifyOptions));
  const { changes, calls, roots } = check;
  show(options, check, () => {
    const { records, ...chain } = changes;
    const paragraphs = [
      renderChain({ ...chain, headFound: null, calls: records }, "change"),
      renderChain({ ...calls, headFound: null }),
    ];
    if (options.head !== undefined)
      paragraphs.push(
        check.ok
          ? "The hash you gave is in the record."
          : "The record is broken, or the hash you gave is not in it.",
      );
    return [...paragraphs, renderRoots(roots)].join("\n\n");
  });
  return check.ok ? 0 : 1;
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
