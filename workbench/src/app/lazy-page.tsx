import { type ComponentType, type FunctionComponent, useEffect, useState } from "react";
import { ApiError } from "../api/client.ts";
import { checkHealth } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Failed, Loading } from "../parts/states.tsx";
import { useConnection } from "./live-events.ts";

type Source = { loaded: ComponentType | null; load: () => Promise<void> };

const sources: Source[] = [];
/** The visible page loads first. */
const preloadDelayMs = 1_500;

/**
 * A page loaded on first visit. If the plane is down it says so, and appears when the plane is back. The router itself
 * would reload the whole app and lose unsaved input.
 */
export function lazyPage<Name extends string>(
  find: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): FunctionComponent & { preload: () => Promise<void> } {
  const source: Source = {
    loaded: null,
    async load() {
      source.loaded ??= (await find())[name];
    },
  };
  sources.push(source);
  const preload = () => source.load().catch(() => undefined);
  return Object.assign(() => <LazyPage source={source} />, { preload });
}

/** Loads the other pages while idle, so that they work when the plane is down. */
export function loadOtherPages(): () => void {
  let isOver = false;
  const timer = setTimeout(async () => {
    for (const source of sources) {
      await new Promise<void>((resolve) =>
        (window.requestIdleCallback ?? setTimeout)(() => resolve()),
      );
      if (isOver) return;
      await source.load().catch(() => undefined);
    }
  }, preloadDelayMs);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function LazyPage({ source }: { source: Source }) {
  const [problem, setProblem] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const connection = useConnection();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a retry, or a plane that is back, loads again
  useEffect(() => {
    if (source.loaded !== null) return;
    let isGone = false;
    const showProblem = (problemFound: unknown) => {
      if (!isGone) setProblem(problemFound);
    };
    source.load().then(
      () => showProblem(undefined),
      () => findProblem().then(showProblem),
    );
    return () => {
      isGone = true;
    };
  }, [source, connection, tries]);
  const { loaded: Loaded } = source;
  if (Loaded !== null) return <Loaded />;
  if (problem === null) return <Loading />;
  return (
    <Page title="This page cannot be shown">
      <Failed
        error={problem}
        onRetry={() => (problem instanceof ApiError ? setTries(tries + 1) : location.reload())}
      />
    </Page>
  );
}

/** The plane is down, or it was updated and the file is gone. Browsers cache a failed import. */
async function findProblem(): Promise<unknown> {
  try {
    await checkHealth();
  } catch (thrown) {
    return thrown;
  }
  return new Error("The plane was restarted or updated while this page was open. Reload the page.");
}
