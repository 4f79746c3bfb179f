import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { useOperation } from "../../api/operations.ts";
import { clientsQuery, serversQuery } from "../../api/queries.ts";
import { useCanConnect, useMay } from "../../app/session.ts";

import { Button } from "../../parts/button.tsx";
import { classes } from "../../parts/class-names.ts";
import { Check, Import, Plus } from "../../parts/icons.ts";
import { keepFlag, useFlag } from "../../parts/kept-flags.ts";
import { Panel } from "../../parts/page.tsx";
import { Loading } from "../../parts/states.tsx";

const AddServerDialog = lazy(async () => ({
  default: (await import("../servers/add-server-dialog.tsx")).AddServerDialog,
}));
const ImportDialog = lazy(async () => ({
  default: (await import("../servers/import-dialog.tsx")).ImportDialog,
}));

const ConnectStep = lazy(async () => ({
  default: (await import("../clients/connect-clients.tsx")).ConnectStep,
}));

type Step = { key: string; title: string; about: string; isDone: boolean; content: ReactNode };

export const hiddenFlag = "first-steps-hidden";
/** Clients call from here. */
const fromClient = ["mcp"];

/** Undefined until it is known. What was done stays done: a removed server does not begin it again. */
function useDone(key: string, now: boolean | undefined): boolean | undefined {
  const wasDone = useFlag(`done-${key}`) !== null;
  useEffect(() => {
    if (now) keepFlag(`done-${key}`);
  }, [key, now]);
  return wasDone || now;
}

export type FirstSteps = { isLoading: boolean; isShown: boolean; isEmpty: boolean; steps: Step[] };

/** What a new plane needs before it is of use: servers, a call, a client. */
export function useFirstSteps(): FirstSteps {
  const serverList = useQuery(serversQuery());
  const lastCalls = useOperation("calls.list", { limit: 8 });
  const servers = serverList.data?.servers;
  const calls = lastCalls.data?.calls;
  const clients = useQuery({ ...clientsQuery(), enabled: useCanConnect() }).data?.clients;
  const isHidden = useFlag(hiddenFlag) !== null;
  const isConnected =
    calls &&
    (calls.some(({ face }) => fromClient.includes(face)) ||
      clients?.some((client) => client.isConnected) === true);
  const done = [
    useDone("servers", servers && servers.length > 0),
    useDone("call", calls && calls.length > 0),
    useDone("client", isConnected),
  ];
  const [hasServers = false, hasCalled = false, hasClient = false] = done;
  return {
    isLoading: serverList.isPending || lastCalls.isPending,
    isShown: !done.includes(undefined) && !isHidden && done.includes(false),
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
        content: (
          <Suspense fallback={<Loading lines={3} />}>
            <ConnectStep />
          </Suspense>
        ),
        about: "Your editor or agent gets all tools through one server.",
      },
    ],
  };
}

const showAround = () => void import("../../app/tour.tsx").then(({ startTour }) => startTour());

/** What this is, and the three steps; the first open one is unfolded. */
export function Welcome({ steps }: Pick<FirstSteps, "steps">) {
  const nextKey = steps.find(({ isDone }) => !isDone)?.key;
  const [opened, setOpened] = useState<string | null>(null);
  const openKey = opened ?? nextKey;
  return (
    <>
      <p className="max-w-[60ch] text-lg text-muted">
        Toolplane puts all your MCP servers behind one address:{" "}
        <strong className="text-ink">one catalogue of tools</strong>, and every call checked,
        approved where you want it, and recorded.
      </p>
      <Panel
        flush
        title={titleOf(steps)}
        actions={
          <>
            <Button variant="quiet" onClick={showAround}>
              Show me around
            </Button>
            <Button variant="quiet" onClick={() => keepFlag(hiddenFlag)}>
              Hide
            </Button>
          </>
        }
      >
        <ol className="divide-y divide-line">
          {steps.map((step, index) => (
            <StepRow
              key={step.key}
              step={step}
              number={index + 1}
              isOpen={step.key === openKey}
              onOpen={() => setOpened(step.key)}
            />
          ))}
        </ol>
      </Panel>
    </>
  );
}

const countDone = (steps: readonly Step[]) => steps.filter(({ isDone }) => isDone).length;
export const titleOf = (steps: readonly Step[]) =>
  `Get started: ${countDone(steps)} of ${steps.length} done`;

function StepRow({
  step,
  number,
  isOpen,
  onOpen,
}: {
  step: Step;
  number: number;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const { title, about, isDone, content } = step;
  return (
    <li className="flex gap-3 px-4 py-3">
      <span
        aria-hidden
        className={classes(
          "flex size-6 shrink-0 items-center justify-center rounded-full text-xs font-semibold",
          isDone && "bg-good-soft text-good",
          !isDone && (isOpen ? "bg-accent-fill text-white" : "bg-sunken text-muted"),
        )}
      >
        {isDone ? <Check className="size-3.5" /> : number}
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-3">
        <button type="button" aria-expanded={isOpen} className="text-left" onClick={onOpen}>
          <span className="text-sm font-semibold">{title}</span>
          {isDone && <span className="text-sm text-muted"> · done</span>}
          {(isOpen || !isDone) && <span className="block text-sm text-muted">{about}</span>}
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
  "inline-flex h-8 items-center self-start rounded-md bg-accent-fill px-3 text-sm font-medium text-white hover:brightness-110";

function TryStep({ isReady }: { isReady: boolean }) {
  if (!isReady) return <p className="text-sm text-muted">Add a server first.</p>;
  return (
    <Link to="/try" className={linkLook}>
      Choose a tool
    </Link>
  );
}
