/** What the colours of a chart mean, and its largest value. */
export function Legend({
  keys,
  note,
}: {
  keys: readonly { look: string; text: string }[];
  note: string;
}) {
  return (
    <p className="flex flex-wrap gap-x-4 text-xs text-muted">
      {keys.map(({ look, text }) => (
        <span key={text} className="flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden className={`size-2 rounded-sm ${look}`} /> {text}
        </span>
      ))}
      <span className="ml-auto whitespace-nowrap tabular-nums">{note}</span>
    </p>
  );
}
