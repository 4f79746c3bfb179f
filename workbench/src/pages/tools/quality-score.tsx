const goodScore = 80;

type QualityScoreProps = { score: number; passed: boolean; complaints: readonly string[] };

/** The definition's quality score, from 0 to 100. */
export function QualityScore({ score, passed, complaints }: QualityScoreProps) {
  const look = !passed ? "text-bad" : score >= goodScore ? "text-good" : "text-warn";
  return (
    <span className={look} title={complaints.join("\n") || "No findings."}>
      {score}
    </span>
  );
}
