import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ServerStatus } from "../../../../src/model/servers/server-schema.ts";
import { useOperation } from "../../api/operations.ts";
import { statsQuery } from "../../api/queries.ts";
import { useMay, useMayChange } from "../../app/session.ts";
import { ServerBadge } from "../../parts/badge.tsx";
import { Facts, Page, Panel } from "../../parts/page.tsx";
import { QueryPage } from "../../parts/query-page.tsx";
import { causeOf } from "../../parts/server-cause.ts";
import { Complaint } from "../../parts/states.tsx";
import { counted, renderCount, renderPercent, Time } from "../../parts/time.tsx";
import { DoctorPanel } from "./doctor-panel.tsx";
import { EntryPanel } from "./entry-panel.tsx";
import { LogPanel } from "./log-panel.tsx";
import { MessagesPanel } from "./messages-panel.tsx";
import { OffersPanel } from "./offers-panel.tsx";
import { isRemote, ServerButtons } from "./server-buttons.tsx";
import { ServerTools } from "./server-tools.tsx";
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
  const cause = causeOf(server);
  const mayManage = useMay("admin");
  const mayChange = useMayChange("admin");
  const isFailing = ["error", "backoff", "config_error"].includes(server.state) && !installing;
  return (
    <Page
      title={
        <>
          {name} <ServerBadge server={server} />
        </>
      }
      about={<AllServers />}
      actions={<ServerButtons server={server} mayManage={mayChange} />}
    >
      {installing && (
        <p className="break-words text-sm text-muted">
          Installing since <Time full at={installing.since} />
          {installing.lastLine !== null && (
            <>
              : <span className="font-mono text-xs text-ink">{installing.lastLine}</span>
            </>
          )}
        </p>
      )}
      {cause !== null && !installing && <Complaint error={cause} />}
      {stderrTail !== undefined && (error === null || installing) && (
        <p className="break-words text-sm text-muted">
          Last line on stderr: <span className="font-mono text-xs text-ink">{stderrTail}</span>
        </p>
      )}
      {isFailing && isRemote(server) && <TokenPanel server={name} />}
      {isFailing && mayManage && <DoctorPanel isFailing server={name} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel
          title="State"
          actions={
            <Link
              to="/calls"
              search={{ server: name, range: "day" }}
              className="text-sm text-accent hover:underline"
            >
              Its calls
            </Link>
          }
        >
          <StateFacts server={server} />
        </Panel>
        <Panel title="Tools">
          <ToolFacts server={server} />
        </Panel>
      </div>
      {rejected.length > 0 && (
        <Panel title="Rejected tools">
          <ul className="flex flex-col gap-1 text-sm">
            {rejected.map(({ tool, reason }) => (
              <li key={tool} className="break-words">
                <span className="font-medium">{tool}</span>: {reason}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {server.tools > 0 && <ServerTools server={name} count={server.tools} />}
      {!isFailing && isRemote(server) && <TokenPanel server={name} />}
      {mayManage && <EntryPanel name={name} />}
      {server.state === "connected" && <OffersPanel server={name} />}
      {!isFailing && mayManage && <DoctorPanel server={name} />}
      {mayManage && <LogPanel server={name} />}
      {mayManage && <MessagesPanel server={name} />}
    </Page>
  );
}

function StateFacts({ server }: { server: ServerStatus }) {
  const {
    transport,
    protocolVersion,
    protocolReason,
    pid,
    sessions,
    pending,
    noise,
    nextRetryAt,
    circuit,
    instances = [],
  } = server;
  return (
    <Facts
      items={[
        ["Transport", transport],
        ["Protocol", [protocolVersion, protocolReason].filter(Boolean).join(": ")],
        ["Process", pid],
        ["Works in", instances.length > 0 && <Instances instances={instances} />],
        ["Sessions", sessions],
        ["Pending requests", pending],
        [
          "Circuit breaker",
          circuit &&
            circuit.state !== "closed" &&
            `${circuit.state}, ${counted(circuit.failures, "failure")}`,
        ],
        ["Next try", nextRetryAt && <Time full at={nextRetryAt} />],
        ["Noise", noise > 0 && `${counted(noise, "invalid line")} on stdout`],
      ]}
    />
  );
}

/** Of a server that works in the directory of its caller. */
function Instances({ instances }: { instances: NonNullable<ServerStatus["instances"]> }) {
  return instances.map(({ directory, state, pid }) => (
    <div key={directory}>
      {directory} ({pid === null ? state : `${state}, process ${pid}`})
    </div>
  ));
}

function ToolFacts({ server: { name, tools, stale, listedAt } }: { server: ServerStatus }) {
  const stats = useQuery(statsQuery());
  const cost = stats.data?.servers.find((entry) => entry.name === name);
  const checked = useOperation("tools.quality", { server: name }, { enabled: tools > 0 });
  const quality = checked.data;
  const scores = quality?.tools.map(({ score }) => score) ?? [];
  const average = Math.round(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  return (
    <Facts
      items={[
        [
          "Tools",
          <Link
            key="tools"
            to="/tools"
            search={{ server: name }}
            className="text-accent hover:underline"
          >
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
            : cost &&
              `${renderCount(cost.fullTokens)} in full, ${renderCount(cost.summaryTokens)} as summary`,
        ],
        [
          "Saved",
          stats.isPending
            ? "counting …"
            : cost && `${renderPercent(cost.savedPercent)} with lazy loading`,
        ],
        [
          "Quality",
          checked.isFetching && !quality
            ? "checking …"
            : quality &&
              scores.length > 0 &&
              `${average} of 100 on average; ${quality.passed} of ${quality.total} pass`,
        ],
      ]}
    />
  );
}
