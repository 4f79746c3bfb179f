import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { config } from "zod/v4/core";
import { appFramePath } from "../../../../src/model/catalogue/tool-page.ts";
import type { App, PageContent, Permission } from "./app.ts";
import { permissionNames } from "./app.ts";
import { createFrameTransport } from "./frame-transport.ts";
import { contextFor, maxHeight, minHeight, watchContext } from "./host-context.ts";
import { createPageRequests, type PagePorts } from "./page-requests.ts";

// The library would write code at run time, which the workbench's policy forbids.
config({ jitless: true });

export type HostPorts = PagePorts & {
  onHeight(height: number): void;
  /** It has begun to work. */
  onReady(): void;
  /** It is gone, and why. */
  onGone(why: string): void;
};

export type OpenApp = { close(): void };

/** How long a page that is left may take to put its things in order. */
const teardownMs = 500;

/** Shows a page in a frame inside of `container`. The frame belongs to no origin, whatever the page does. */
export function openApp(
  container: HTMLElement,
  app: App,
  content: PageContent,
  granted: readonly Permission[],
  ports: HostPorts,
): OpenApp {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.setAttribute(
    "allow",
    granted.map((name) => `${permissionNames[name].feature} *`).join("; "),
  );
  frame.referrerPolicy = "no-referrer";
  frame.title = `Page of ${app.tool.name}`;
  frame.className = "block h-full w-full border-0";
  frame.src = `${appFramePath}?csp=${encodeURIComponent(JSON.stringify(content.csp))}`;
  container.append(frame);

  const bridge = createBridge(app, content, granted, ports, () => frame.clientWidth);
  const stopWatching = watchContext(frame, () =>
    bridge.setHostContext(contextFor(app, frame.clientWidth)),
  );
  let isOver = false;
  const end = (why: string) => {
    if (isOver) return;
    isOver = true;
    stopWatching();
    void bridge.close();
    frame.remove();
    ports.onGone(why);
  };
  bridge.onrequestteardown = () => end("The page closed itself.");

  let loads = 0;
  frame.addEventListener("load", () => {
    loads += 1;
    const target = frame.contentWindow;
    // The empty document, then the page in its place; a third one is where the page went by itself.
    if (loads > 2 || target === null)
      return end("The page tried to leave its frame and was closed.");
    if (loads === 2) return;
    const transport = createFrameTransport(target, () =>
      end("The page sent too many messages and was closed."),
    );
    void bridge.connect(transport).then(() => target.postMessage({ html: content.html }, "*"));
  });
  return {
    close() {
      if (isOver) return;
      isOver = true;
      stopWatching();
      const removeFrame = () => {
        frame.remove();
        void bridge.close();
      };
      // The frame goes with its place; where it is still there, it has a moment.
      bridge.teardownResource({}, { timeout: teardownMs }).then(removeFrame, removeFrame);
    },
  };
}

function createBridge(
  app: App,
  content: PageContent,
  granted: readonly Permission[],
  ports: HostPorts,
  width: () => number,
): AppBridge {
  const permissions = Object.fromEntries(granted.map((name) => [name, {}]));
  const capabilities = {
    openLinks: {},
    downloadFile: {},
    serverTools: {},
    serverResources: {},
    logging: {},
    sandbox: { csp: content.csp, permissions },
    ...(ports.say && { message: { text: {} } }),
  };
  const hostInfo = { name: "toolplane-workbench", version: "1.0.0" };
  const bridge = new AppBridge(null, hostInfo, capabilities, {
    hostContext: contextFor(app, width()),
  });
  const requests = createPageRequests(app, ports);
  bridge.oninitialized = () => {
    ports.onReady();
    bridge.setHostContext(contextFor(app, width()));
    void bridge.sendToolInput({ arguments: app.args });
    const { outcome } = app;
    if ("result" in outcome) void bridge.sendToolResult(outcome.result as never);
    else void bridge.sendToolCancelled({ reason: outcome.cancelled });
  };
  bridge.oncalltool = async ({ name, arguments: args }) =>
    (await requests.callTool(name, args)) as never;
  bridge.onreadresource = async ({ uri }) => (await requests.readResource(uri)) as never;
  bridge.onlistresources = async () =>
    ({ resources: (await requests.listResources()).resources }) as never;
  bridge.onlistresourcetemplates = async () =>
    ({ resourceTemplates: (await requests.listResources()).resourceTemplates }) as never;
  bridge.onlistprompts = async () => ({ prompts: [] });
  bridge.onopenlink = async ({ url }) => ({ isError: !(await requests.openLink(url)) });
  bridge.onmessage = async ({ content: message }) => ({
    isError: !(await requests.message(message as never)),
  });
  bridge.ondownloadfile = async ({ contents }) => ({
    isError: !(await requests.download(contents as never)),
  });
  bridge.onrequestdisplaymode = async () => ({ mode: "inline" });
  bridge.onloggingmessage = (logEntry) => requests.log(logEntry as never);
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined && Number.isFinite(height))
      ports.onHeight(Math.round(Math.min(maxHeight, Math.max(minHeight, height))));
  };
  return bridge;
}
