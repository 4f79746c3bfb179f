import { plainText } from "../../../lib/text/plain-text.ts";
import { sizeText } from "../../../lib/text/wording.ts";
import type { DoctorReport } from "../../../model/config/doctor-schema.ts";
import { changedDefaultsNotice } from "./changed-defaults.ts";
import { colors, renderTable } from "./output.ts";

/** For a person: checks by server, then what grows, then defaults to decide on. */
export function renderReport({ stored = [], defaults, ...report }: DoctorReport): string {
  const parts = [renderExamined(report)];
  if (stored.length > 0) parts.push(renderStored(stored));
  const notice = defaults === undefined ? null : changedDefaultsNotice(defaults);
  if (notice !== null) parts.push(`${colors.yellow("▲")} ${notice}`);
  return parts.join("\n");
}

/** What grows, a line each. */
function renderStored(stored: NonNullable<DoctorReport["stored"]>): string {
  const rows = stored.map(({ kind, count, bytes, limit, settings }) => {
    const held = [
      ...(count === null ? [] : [String(count)]),
      ...(bytes === null ? [] : [sizeText(bytes)]),
    ];
    return [
      storedNames[kind] ?? kind,
      held.join(", ") || "–",
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
  const trouble =
    store === undefined
      ? ""
      : `${colors.red("✖")} ${colors.bold("store")}: ${plainText(store.detail)}\n`;
  const named = (kind: string, all: DoctorReport["servers"]) =>
    all.map(({ name, ...one }) => ({ name: `${kind} ${name}`, ...one }));
  const examined = [...servers, ...named("toolset", toolsets), ...named("extension", extensions)];
  if (examined.length === 0) return `${trouble}No servers are configured.`;
  return `${trouble}${renderChecks(examined)}`;
}

function renderChecks(servers: DoctorReport["servers"]): string {
  return servers
    .map(({ name, ok, checks }) => {
      const head = `${ok ? colors.green("✔") : colors.red("✖")} ${colors.bold(name)}`;
      const lines = checks.map((check) => {
        const mark = check.ok ? colors.green("✔") : colors.red("✖");
        const fix =
          check.fix === null ? "" : `\n      ${colors.yellow("fix:")} ${plainText(check.fix)}`;
        return `    ${mark} ${check.name}: ${plainText(check.detail).replaceAll("\n", "\n        ")}${fix}`;
      });
      return [head, ...lines].join("\n");
    })
    .join("\n");
}
