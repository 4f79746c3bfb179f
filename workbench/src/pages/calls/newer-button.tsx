import { Button } from "../../parts/button.tsx";
import { ArrowUp } from "../../parts/icons.ts";
import { renderCount } from "../../parts/time.tsx";

/** Leads back to the beginning of a list that somebody has scrolled far down. */
export function NewerButton({ count, onClick }: { count: number | null; onClick: () => void }) {
  if (count === null) return null;
  return (
    <Button icon={ArrowUp} className="ml-auto" onClick={onClick}>
      {count === 0 ? "To the newest" : `${renderCount(count)} newer`}
    </Button>
  );
}
