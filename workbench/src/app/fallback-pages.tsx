import { type ErrorComponentProps, Link } from "@tanstack/react-router";
import { Compass } from "../parts/icons.ts";
import { Page } from "../parts/page.tsx";
import { Empty, Failed } from "../parts/states.tsx";

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty icon={Compass} title="No page at this address">
        <Link to="/" className="text-accent underline">
          Go to the overview
        </Link>
      </Empty>
    </Page>
  );
}

/** An error on one page does not break the others. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page cannot be shown">
      <Failed error={error} onRetry={reset} />
    </Page>
  );
}
