import type { QualityReport } from "../../../../src/model/quality.ts";

type Score = QualityReport["tools"][number];

const good = 80;

/** How well the definition tells a model what the tool is for, from 0 to 100. */
export function QualityScore({ report }: { report: Score | undefined }) {
  if (report === undefined) return <span className="text-muted">–</span>;
  const look = report.score >= good ? "text-good" : report.passed ? "text-warn" : "text-bad";
  return (
    <span
      className={look}
      title={report.checks.map(({ message }) => message).join("\n") || "Nothing to complain of."}
    >
      {report.score}
    </span>
  );
}
