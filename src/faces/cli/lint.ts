import { plainText } from "../../lib/text/plain-text.ts";
import {
  type FailOn,
  failOnLevels,
  type QualityOptions,
  type QualityReport,
  type ToolQuality,
} from "../../model/catalogue/quality.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { colors } from "./colors.ts";
import { renderFinding } from "./lint-findings.ts";
import { print, printJson } from "./output.ts";
import { withPlane } from "./with-plane.ts";

type LintOptions = GlobalOptions & {
  server?: string;
  threshold?: string;
  requireExamples: boolean;
  failOn: string;
};

/** 1 when a tool does not pass. */
export async function lintTools(cli: Cli, options: LintOptions): Promise<number> {
  const { server, threshold, requireExamples } = options;
  const asked: QualityOptions = {
    requireExamples,
    failOn: toFailOn(options.failOn),
    ...(server === undefined ? {} : { server }),
    ...(threshold === undefined ? {} : { threshold: toScore(threshold) }),
  };
  const report = await withPlane(cli, options, (plane) => plane.tools.quality(asked));
  if (options.json) printJson(report);
  else print(renderReport(report));
  return report.passed === report.total ? 0 : 1;
}

function toScore(text: string): number {
  const score = Number(text);
  if (text.trim() === "" || !Number.isFinite(score) || score < 0 || score > 100)
    throw new PlaneError("USAGE", `--threshold '${text}' is not a number from 0 to 100.`);
  return score;
}

function toFailOn(text: string): FailOn {
  const found = failOnLevels.find((level) => level === text);
  if (found === undefined)
    throw new PlaneError("USAGE", `--fail-on '${text}' is not one of ${failOnLevels.join(", ")}.`);
  return found;
}

function renderReport({ tools, total, passed, threshold, failOn }: QualityReport): string {
  const shown = tools.filter(({ checks, findings }) => checks.length > 0 || findings.length > 0);
  const flawless = total - shown.length;
  return [
    ...shown.flatMap((tool) => [...renderTool(tool), ""]),
    ...(flawless > 0 && shown.length > 0 ? [`${flawless} without a flaw.`] : []),
    `${passed}/${total} passed: a score of at least ${threshold}${failOn === "none" ? "" : `, not held back, nothing found that is ${atLeast(failOn)}`}.`,
  ].join("\n");
}

function atLeast(level: Exclude<FailOn, "none">): string {
  return level === "high" ? "high" : `${level} or worse`;
}

function renderTool({ name, score, passed, checks, findings, held }: ToolQuality): string[] {
  const mark = passed ? colors.green(String(score).padStart(3)) : colors.red(String(score).padStart(3));
  return [
    `${mark}  ${colors.bold(plainText(name))}${held === null ? "" : colors.red("  held back")}`,
    ...checks.map(({ penalty, message, fix }) => plainText(`     ${`−${penalty}`.padStart(4)}  ${message} ${fix}`)),
    ...findings.map((finding) => `      ${colors.yellow("!")}    ${renderFinding(finding)}`),
  ];
}
