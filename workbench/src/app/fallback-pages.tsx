import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Compass } from "../parts/icons.ts";
import { Page } from "../parts/page.tsx";
import { Empty, Failed } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty icon={Compass} title="The address leads nowhere">
        <Link to="/" className="text-accent underline">
          Go to the overview
        </Link>
      </Empty>
    </Page>
  );
}

/** A defect of one page leaves the others alone. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page cannot be shown">
      <Failed error={error} onRetry={reset} />
    </Page>
  );
}
