const goodScore = 80;

type QualityScoreProps = { score: number; passed: boolean; complaints: readonly string[] };

/** The definition's quality score, from 0 to 100. */
export function QualityScore({ score, passed, complaints }: QualityScoreProps) {
  const passedColour = score >= goodScore ? "text-good" : "text-warn";
  return (
    <span
      className={passed ? passedColour : "text-bad"}
      title={complaints.join("\n") || "No findings."}
    >
      {score}
    </span>
  );
}
