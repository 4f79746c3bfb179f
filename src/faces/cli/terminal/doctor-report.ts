import { plainText } from "../../../lib/text/plain-text.ts";
import { sizeText } from "../../../lib/text/wording.ts";
import type { DoctorReport } from "../../../model/config/doctor-schema.ts";
import { changedDefaultsNotice } from "./changed-defaults.ts";
import { colors, joinLines, renderTable } from "./output.ts";

/** For a person: checks by server, then what grows, then defaults to decide on. */
export function renderReport({ stored = [], defaults, ...report }: DoctorReport): string {
  const parts = [renderExamined(report)];
  if (stored.length > 0) parts.push(renderStored(stored));
  const notice = defaults && changedDefaultsNotice(defaults);
  if (notice) parts.push(`${colors.yellow("▲")} ${notice}`);
  return parts.join("\n");
}

/** What grows, a line each. */
function renderStored(stored: NonNullable<DoctorReport["stored"]>): string {
  const rows = stored.map(({ kind, count, bytes, limit, settings }) => {
    const amounts: string[] = [];
    if (count !== null) amounts.push(String(count));
    if (bytes !== null) amounts.push(sizeText(bytes));
    return [
      storedNames[kind] ?? kind,
      amounts.join(", ") || "–",
      limit ?? "no limit",
      settings.join(", "),
    ];
  });
  return `${colors.bold("stored")}\n${renderTable(["KIND", "NOW", "LIMIT", "SETTING"], rows)}`;
}

const storedNames: Record<string, string> = {
  deadLetters: "dead letters",
  jobRuns: "job runs",
  serverLogs: "server logs",
  resultCache: "result cache",
  log: "background log",
};

function renderExamined({
  servers,
  toolsets = [],
  extensions = [],
  store,
}: Omit<DoctorReport, "stored" | "defaults">): string {
  const storeTrouble =
    store && `${colors.red("✖")} ${colors.bold("store")}: ${plainText(store.detail)}`;
  const ofKind = (kind: string, reports: DoctorReport["servers"]) =>
    reports.map(({ name, ...report }) => ({ name: `${kind} ${name}`, ...report }));
  const examined = [...servers, ...ofKind("toolset", toolsets), ...ofKind("extension", extensions)];
  if (examined.length === 0) return joinLines(storeTrouble, "No servers are configured.");
  return joinLines(storeTrouble, renderChecks(examined));
}

function renderChecks(servers: DoctorReport["servers"]): string {
  return servers
    .map(({ name, ok, checks }) => {
      const lines = checks.map((check) => {
        const detail = plainText(check.detail).replaceAll("\n", "\n        ");
        return joinLines(
          `    ${markOf(check)} ${check.name}: ${detail}`,
          check.fix !== null && `      ${colors.yellow("fix:")} ${plainText(check.fix)}`,
        );
      });
      return joinLines(`${markOf({ ok })} ${colors.bold(name)}`, lines);
    })
    .join("\n");
}

const markOf = ({ ok }: { ok: boolean }) => (ok ? colors.green("✔") : colors.red("✖"));
