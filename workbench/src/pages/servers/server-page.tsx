import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Plug, RefreshCw, Trash2, Unplug } from "lucide-react";
import { useState } from "react";
import type { QualityReport } from "../../../../src/model/quality.ts";
import type { ServerStatus } from "../../../../src/model/server.ts";
import { get, withQuery } from "../../api/client.ts";
import { serverQuery, statsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { StateBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { Complaint, QueryView } from "../../parts/states.tsx";
import { renderCount, Time } from "../../parts/time.tsx";
import { DoctorPanel } from "./doctor-panel.tsx";
import { LogPanel } from "./log-panel.tsx";
import { RemoveServer } from "./remove-server.tsx";
import { useServerVerb } from "./server-actions.ts";
import { SignInButton } from "./sign-in-button.tsx";

const route = getRouteApi("/servers/$name");

export function ServerPage() {
  const { name } = route.useParams();
  return (
    <QueryView query={useQuery(serverQuery(name))}>{(server) => <ServerView server={server} />}</QueryView>
  );
}

function ServerView({ server }: { server: ServerStatus }) {
  const { name, state, error, rejected } = server;
  const mayManage = useMay("admin");
  return (
    <Page
      title={
        <>
          {name} <StateBadge kind="server" state={state} />
        </>
      }
      about={
        <Link to="/servers" className="hover:underline">
          ← All servers
        </Link>
      }
      actions={<Actions server={server} mayManage={mayManage} />}
    >
      {error !== null && <Complaint error={error} />}
      <div className="grid items-start gap-3 lg:grid-cols-2">
        <Panel title="State">
          <StateFacts server={server} />
        </Panel>
        <Panel title="Tools">
          <ToolFacts server={server} />
        </Panel>
      </div>
      {rejected.length > 0 && (
        <Panel title="Tools that could not be taken">
          <ul className="flex flex-col gap-1 text-[13px]">
            {rejected.map(({ tool, reason }) => (
              <li key={tool} className="break-words">
                <span className="font-medium">{tool}</span>: {reason}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {mayManage && <DoctorPanel server={name} />}
      {mayManage && <LogPanel server={name} />}
    </Page>
  );
}

function Actions({
  server: { name, state, transport },
  mayManage,
}: {
  server: ServerStatus;
  mayManage: boolean;
}) {
  const verb = useServerVerb(name);
  const [removing, setRemoving] = useState(false);
  const isUp = state === "connected" || state === "connecting";
  const cannot = !mayManage || state === "disabled" || state === "config_error";
  const isBusy = (one: string) => verb.isPending && verb.variables === one;
  return (
    <>
      {transport !== "stdio" && transport !== null && <SignInButton server={name} />}
      {isUp ? (
        <Button
          icon={Unplug}
          disabled={cannot}
          busy={isBusy("disconnect")}
          onClick={() => verb.mutate("disconnect")}
        >
          Disconnect
        </Button>
      ) : (
        <Button
          variant="primary"
          icon={Plug}
          disabled={cannot}
          busy={isBusy("connect")}
          onClick={() => verb.mutate("connect")}
        >
          Connect
        </Button>
      )}
      <Button
        icon={RefreshCw}
        disabled={cannot}
        busy={isBusy("refresh")}
        onClick={() => verb.mutate("refresh")}
      >
        Refresh
      </Button>
      <Button icon={Trash2} disabled={!mayManage} onClick={() => setRemoving(true)}>
        Remove
      </Button>
      {removing && <RemoveServer name={name} onClose={() => setRemoving(false)} />}
    </>
  );
}

function StateFacts({ server }: { server: ServerStatus }) {
  const { transport, protocolVersion, pid, sessions, pending, noise, nextRetryAt, circuit } = server;
  return (
    <Facts
      items={[
        ["Transport", transport],
        ["Protocol", protocolVersion],
        ["Process", pid],
        ["Sessions", sessions],
        ["Waiting requests", pending],
        [
          "Circuit",
          circuit && circuit.state !== "closed" ? `${circuit.state}, ${circuit.failures} failures` : null,
        ],
        ["Next try", nextRetryAt && <Time at={nextRetryAt} />],
        ["Noise", noise > 0 ? `${noise} lines that are no message of the protocol` : null],
      ]}
    />
  );
}

function ToolFacts({ server: { name, tools, stale, listedAt } }: { server: ServerStatus }) {
  const cost = useQuery(statsQuery()).data?.servers.find((entry) => entry.name === name);
  const quality = useQuery({
    queryKey: ["tools", "quality", name],
    queryFn: ({ signal }) => get<QualityReport>(withQuery("/tools/quality", { server: name }), signal),
    enabled: tools > 0,
  }).data;
  const scores = quality?.tools.map(({ score }) => score) ?? [];
  const average =
    scores.length === 0 ? null : Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  return (
    <Facts
      items={[
        [
          "Tools",
          <Link key="tools" to="/tools" search={{ server: name }} className="text-accent hover:underline">
            {tools} in the catalogue
          </Link>,
        ],
        [
          "Listed",
          stale ? (
            <span key="listed" className="text-warn">
              older than its last failure
            </span>
          ) : (
            <Time key="listed" at={listedAt} />
          ),
        ],
        [
          "Tokens",
          cost && `${renderCount(cost.fullTokens)} in full, ${renderCount(cost.summaryTokens)} in short`,
        ],
        ["Saved", cost && `${cost.savedPercent.toFixed(0)} % where definitions are loaded when needed`],
        [
          "Quality",
          quality &&
            average !== null &&
            `${average} of 100 on average; ${quality.passed} of ${quality.total} pass`,
        ],
      ]}
    />
  );
}
