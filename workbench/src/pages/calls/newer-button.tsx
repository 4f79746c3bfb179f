import { Button } from "../../parts/button.tsx";
import { ArrowUp } from "../../parts/icons.ts";
import { renderCount } from "../../parts/time.tsx";

/** Jumps to the top of a long list. */
export function NewerButton({ count, onClick }: { count: number | null; onClick: () => void }) {
  if (count === null) return null;
  return (
    <Button icon={ArrowUp} className="ml-auto" onClick={onClick}>
      {count === 0 ? "Newest" : `${renderCount(count)} newer`}
    </Button>
  );
}
