import type { QualityReport } from "../../../../src/model/catalogue/quality-schema.ts";
import { Panel } from "../../parts/page.tsx";
import { Meter } from "../../parts/sparkline.tsx";
import { QualityScore } from "./quality-score.tsx";

/** The definition's quality score and its findings. */
export function QualityPanel({ report }: { report: QualityReport["tools"][number] | undefined }) {
  if (report === undefined) return null;
  return (
    <Panel
      title="Quality of the definition"
      actions={
        <QualityScore {...report} complaints={report.checks.map(({ message }) => message)} />
      }
    >
      <Meter
        value={report.score / 100}
        label={`${report.score} of 100`}
        className={report.passed ? "fill-good" : "fill-bad"}
      />
      {!report.passed && (
        <p className="mt-2 text-xs text-bad">
          {report.held === null ? "Below the threshold." : "The tool is quarantined."}
        </p>
      )}
      {report.checks.length === 0 ? (
        <p className="mt-3 text-sm text-muted">No findings.</p>
      ) : (
        <ul className="mt-3 flex flex-col gap-2 text-sm">
          {report.checks.map(({ check, message, fix, penalty }) => (
            <li key={`${check} ${message}`}>
              <p className="break-words">
                {message} <span className="text-xs text-muted">−{penalty}</span>
              </p>
              <p className="break-words text-xs text-muted">{fix}</p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
