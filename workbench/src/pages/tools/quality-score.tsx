const good = 80;

type QualityScoreProps = { score: number; passed: boolean; complaints: readonly string[] };

/** How well the definition tells a model what the tool is for, from 0 to 100. */
export function QualityScore({ score, passed, complaints }: QualityScoreProps) {
  const look = score >= good ? "text-good" : passed ? "text-warn" : "text-bad";
  return (
    <span className={look} title={complaints.join("\n") || "Nothing to complain of."}>
      {score}
    </span>
  );
}
