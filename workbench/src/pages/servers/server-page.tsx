import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { useOperation } from "../../api/operations.ts";
import { statsQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { ServerBadge } from "../../parts/badge.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { Complaint } from "../../parts/states.tsx";
import { counted, renderCount, renderPercent, Time } from "../../parts/time.tsx";
import { DoctorPanel } from "./doctor-panel.tsx";
import { EntryPanel } from "./entry-panel.tsx";
import { LogPanel } from "./log-panel.tsx";
import { MessagesPanel } from "./messages-panel.tsx";
import { OffersPanel } from "./offers-panel.tsx";
import { isRemote, ServerButtons } from "./server-buttons.tsx";
import { TokenPanel } from "./token-panel.tsx";
import { useLiveServer } from "./use-live-server.ts";

const route = getRouteApi("/servers/$name");

export function ServerPage() {
  const { name } = route.useParams();
  return (
    <QueryPage query={useLiveServer(name)} title={name} back={<AllServers />}>
      {(server) => <ServerView server={server} />}
    </QueryPage>
  );
}

function AllServers() {
  return (
    <Link to="/servers" className="hover:underline">
      ← All servers
    </Link>
  );
}

function ServerView({ server }: { server: ServerStatus }) {
  const { name, error, stderrTail, rejected, installing } = server;
  const mayManage = useMay("admin");
  return (
    <Page
      title={
        <>
          {name} <ServerBadge server={server} />
        </>
      }
      about={<AllServers />}
      actions={<ServerButtons server={server} mayManage={mayManage} />}
    >
      {installing && (
        <p className="break-words text-[13px] text-muted">
          Installing since <Time full at={installing.since} />
          {installing.lastLine !== null && (
            <>
              : <span className="font-mono text-xs text-ink">{installing.lastLine}</span>
            </>
          )}
        </p>
      )}
      {error !== null && !installing && <Complaint error={error} />}
      {stderrTail !== undefined && (
        <p className="break-words text-[13px] text-muted">
          Last line on stderr: <span className="font-mono text-xs text-ink">{stderrTail}</span>
        </p>
      )}
      <div className="grid items-start gap-3 lg:grid-cols-2">
        <Panel title="State">
          <StateFacts server={server} />
        </Panel>
        <Panel title="Tools">
          <ToolFacts server={server} />
        </Panel>
      </div>
      {rejected.length > 0 && (
        <Panel title="Rejected tools">
          <ul className="flex flex-col gap-1 text-[13px]">
            {rejected.map(({ tool, reason }) => (
              <li key={tool} className="break-words">
                <span className="font-medium">{tool}</span>: {reason}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {isRemote(server) && <TokenPanel server={name} />}
      {mayManage && <EntryPanel name={name} />}
      {server.state === "connected" && <OffersPanel server={name} />}
      {mayManage && <DoctorPanel server={name} />}
      {mayManage && <LogPanel server={name} />}
      {mayManage && <MessagesPanel server={name} />}
    </Page>
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
        ["Pending requests", pending],
        [
          "Circuit breaker",
          circuit && circuit.state !== "closed" ? `${circuit.state}, ${counted(circuit.failures, "failure")}` : null,
        ],
        ["Next try", nextRetryAt && <Time full at={nextRetryAt} />],
        ["Noise", noise > 0 ? `${counted(noise, "invalid line")} on stdout` : null],
      ]}
    />
  );
}

function ToolFacts({ server: { name, tools, stale, listedAt } }: { server: ServerStatus }) {
  const stats = useQuery(statsQuery());
  const cost = stats.data?.servers.find((entry) => entry.name === name);
  const checked = useOperation("tools.quality", { server: name }, { enabled: tools > 0 });
  const quality = checked.data;
  const scores = quality?.tools.map(({ score }) => score) ?? [];
  const average =
    scores.length === 0 ? null : Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  return (
    <Facts
      items={[
        [
          "Tools",
          <Link key="tools" to="/tools" search={{ server: name }} className="text-accent hover:underline">
            {renderCount(tools)} in the catalogue
          </Link>,
        ],
        [
          "Listed",
          stale ? (
            <span key="listed" className="text-warn">
              older than its last failure
            </span>
          ) : (
            <Time full key="listed" at={listedAt} />
          ),
        ],
        [
          "Tokens",
          stats.isPending
            ? "counting …"
            : cost && `${renderCount(cost.fullTokens)} in full, ${renderCount(cost.summaryTokens)} as summary`,
        ],
        ["Saved", cost && `${renderPercent(cost.savedPercent)} with lazy loading`],
        [
          "Quality",
          checked.isFetching && !quality
            ? "checking …"
            : quality && average !== null && `${average} of 100 on average; ${quality.passed} of ${quality.total} pass`,
        ],
      ]}
    />
  );
}
