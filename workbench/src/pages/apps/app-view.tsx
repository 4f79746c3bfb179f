import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { RefreshCw } from "../../parts/icons.ts";
import { Failed } from "../../parts/states.tsx";
import {
  type App,
  type PageContent,
  type Permission,
  permissionNames,
  reachedHosts,
  readPage,
} from "./app.ts";
import { AppFrame } from "./app-frame.tsx";

type AppViewProps = {
  app: App;
  onMessage: ((text: string) => void) | undefined;
  loading: ReactNode;
};

/** The page with what it may reach, and the way to open it again. */
export function AppView({ app, onMessage, loading }: AppViewProps) {
  const [granted, setGranted] = useState<readonly Permission[]>([]);
  const [openings, setOpenings] = useState(0);
  const [gone, setGone] = useState<string | null>(null);
  const page = useQuery({
    queryKey: ["app-page", app.server, app.uri, app.callId],
    queryFn: () => readPage(app, app.callId),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const openAgain = () => {
    setGone(null);
    setOpenings((before) => before + 1);
  };
  if (page.error) return <Failed error={page.error} onRetry={() => void page.refetch()} />;
  if (page.data === undefined) return loading;
  const missingPermissions = page.data.permissions.filter((name) => !granted.includes(name));
  return (
    <section aria-label={`Page of ${app.server}`} className="flex min-w-0 flex-col gap-2">
      {gone === null ? (
        <AppFrame
          key={`${openings}-${granted.join()}`}
          {...{ app, granted, loading, onMessage }}
          content={page.data}
          onGone={setGone}
        />
      ) : (
        <p
          role="status"
          className="flex flex-wrap items-center gap-3 rounded-md bg-sunken px-3 py-2 text-sm"
        >
          <span className="mr-auto">{gone}</span>
          <Button icon={RefreshCw} onClick={openAgain}>
            Open it again
          </Button>
        </p>
      )}
      <footer className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <span className="min-w-0 break-words">
          Page of {app.server} in a sandbox. {networkText(page.data)}
        </span>
        {missingPermissions.map((name) => (
          <Button
            key={name}
            variant="quiet"
            className="h-6! px-2! text-xs!"
            onClick={() => setGranted([...granted, name])}
          >
            Let it use {permissionNames[name].text}
          </Button>
        ))}
      </footer>
    </section>
  );
}

const maxNamed = 4;

function networkText(content: PageContent): string {
  const hosts = reachedHosts(content);
  if (hosts.length === 0) return "It reaches no network.";
  const more = hosts.length > maxNamed ? ` and ${hosts.length - maxNamed} more` : "";
  return `It may reach ${hosts.slice(0, maxNamed).join(", ")}${more}.`;
}
