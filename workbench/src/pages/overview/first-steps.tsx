import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { clientsQuery, serversQuery } from "../../api/queries.ts";
import { useMay } from "../../app/session.ts";
import { startTour } from "../../app/tour.tsx";
import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Check, Import, Plus } from "../../parts/icons.ts";
import { keepFlag, useFlag } from "../../parts/kept-flags.ts";
import { Panel } from "../../parts/page.tsx";
import { ClientList, ClientSnippets, useCanConnect } from "../clients/connect-clients.tsx";

const AddServerDialog = lazy(async () => ({
  default: (await import("../servers/add-server-dialog.tsx")).AddServerDialog,
}));
const ImportDialog = lazy(async () => ({ default: (await import("../servers/import-dialog.tsx")).ImportDialog }));

type Step = { key: string; title: string; about: string; isDone: boolean; content: ReactNode };

const hiddenFlag = "first-steps-hidden";
/** Clients call from here. */
const fromClient = ["mcp"];

/** Undefined until it is known. What was done stays done: a removed server does not begin it again. */
function useDone(key: string, now: boolean | undefined): boolean | undefined {
  const kept = useFlag(`done-${key}`) !== null;
  useEffect(() => {
    if (now) keepFlag(`done-${key}`);
  }, [key, now]);
  return kept || now;
}

export type FirstSteps = { isLoading: boolean; isShown: boolean; isEmpty: boolean; steps: Step[] };

/** What a new plane needs before it is of use: servers, a call, a client. */
export function useFirstSteps(): FirstSteps {
  const servers = useQuery(serversQuery()).data?.servers;
  const calls = useOperation("calls.list", { limit: 8 }).data?.calls;
  const clients = useQuery({ ...clientsQuery(), enabled: useCanConnect() }).data?.clients;
  const isHidden = useFlag(hiddenFlag) !== null;
  const isConnected =
    calls && (calls.some(({ face }) => fromClient.includes(face)) || clients?.some((one) => one.isConnected) === true);
  const done = [
    useDone("servers", servers && servers.length > 0),
    useDone("call", calls && calls.length > 0),
    useDone("client", isConnected),
  ];
  const [hasServers = false, hasCalled = false, hasClient = false] = done;
  const isLoading = done.includes(undefined);
  return {
    isLoading,
    isShown: !isLoading && !isHidden && done.includes(false),
    isEmpty: servers?.length === 0,
    steps: [
      {
        key: "servers",
        title: "Add servers",
        isDone: hasServers,
        content: <AddStep />,
        about: "Paste anything that names an MCP server, or take over what your editor has.",
      },
      {
        key: "call",
        title: "Try a tool",
        isDone: hasCalled,
        content: <TryStep isReady={hasServers} />,
        about: "Fill in a form, run it, and see what a model would get.",
      },
      {
        key: "client",
        title: "Connect your client",
        isDone: hasClient,
        content: <ConnectStep />,
        about: "Your editor or agent gets all tools through one server.",
      },
    ],
  };
}

/** Three steps; the first open one is unfolded. */
export function FirstStepsPanel({ steps }: Pick<FirstSteps, "steps">) {
  const next = steps.find(({ isDone }) => !isDone)?.key;
  const [opened, setOpened] = useState<string | null>(null);
  const shown = opened ?? next;
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Panel
      flush
      title={`Get started: ${done} of ${steps.length} done`}
      actions={
        <>
          <Button variant="quiet" onClick={startTour}>
            Show me around
          </Button>
          <Button variant="quiet" onClick={() => keepFlag(hiddenFlag)}>
            Hide
          </Button>
        </>
      }
    >
      <ol className="divide-y divide-line">
        {steps.map((step, at) => (
          <StepRow
            key={step.key}
            step={step}
            at={at + 1}
            isOpen={step.key === shown}
            onOpen={() => setOpened(step.key)}
          />
        ))}
      </ol>
    </Panel>
  );
}

function StepRow({ step, at, isOpen, onOpen }: { step: Step; at: number; isOpen: boolean; onOpen: () => void }) {
  const { title, about, isDone, content } = step;
  return (
    <li className="flex gap-3 px-4 py-3">
      <span
        aria-hidden
        className={classes(
          "flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold",
          isDone ? "bg-good-soft text-good" : isOpen ? "bg-accent-fill text-white" : "bg-sunken text-muted",
        )}
      >
        {isDone ? <Check className="size-3.5" /> : at}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <button type="button" aria-expanded={isOpen} className="text-left" onClick={onOpen}>
          <span className="text-[13px] font-semibold">{title}</span>
          {isDone && <span className="text-[13px] text-muted"> · done</span>}
          {(isOpen || !isDone) && <span className="block text-[13px] text-muted">{about}</span>}
        </button>
        {isOpen && content}
      </div>
    </li>
  );
}

function AddStep() {
  const [dialog, setDialog] = useState<"add" | "import" | null>(null);
  const mayManage = useMay("admin");
  const close = () => setDialog(null);
  return (
    <div className="flex flex-wrap gap-2">
      <Button variant="primary" icon={Plus} disabled={!mayManage} onClick={() => setDialog("add")}>
        Add a server
      </Button>
      <Button icon={Import} disabled={!mayManage} onClick={() => setDialog("import")}>
        Import from my editor
      </Button>
      <Suspense>
        {dialog === "add" && <AddServerDialog onClose={close} />}
        {dialog === "import" && <ImportDialog onClose={close} />}
      </Suspense>
    </div>
  );
}

const linkLook =
  "inline-flex h-8 items-center self-start rounded-md bg-accent-fill px-3 text-[13px] font-medium text-white hover:brightness-110";

function TryStep({ isReady }: { isReady: boolean }) {
  if (!isReady) return <p className="text-[13px] text-muted">Add a server first.</p>;
  return (
    <Link to="/try" className={linkLook}>
      Choose a tool
    </Link>
  );
}

function ConnectStep() {
  const canConnect = useCanConnect();
  return (
    <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
      {canConnect && (
        <div className="rounded-md border border-line">
          <ClientList />
        </div>
      )}
      <ClientSnippets />
    </div>
  );
}
