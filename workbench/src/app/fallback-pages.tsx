import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { Empty, Failed, messageOf } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Empty icon={Compass} title="There is no such page">
      <Link to="/" className="text-accent underline">
        Go to the overview
      </Link>
    </Empty>
  );
}

/** A defect of one page leaves the others alone. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const isOld = /dynamically imported module|Importing a module/i.test(messageOf(error));
  if (isOld)
    return (
      <Failed
        error={new Error("The plane was updated while this page was open. Load it again.")}
        onRetry={() => location.reload()}
      />
    );
  return <Failed error={error} onRetry={reset} />;
}
