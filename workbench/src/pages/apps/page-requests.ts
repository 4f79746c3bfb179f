import { isObject, stringOrNull, type UnknownObject } from "../../../../src/model/json.ts";
import type { OutcomeAnswer } from "../../api/approval-queries.ts";
import { callOperation } from "../../api/operations.ts";
import { messageOf } from "../../parts/states.tsx";
import { type App, conversationOf } from "./app.ts";

/** What a person is asked on behalf of a page. */
export type PageQuestion =
  | { kind: "link"; url: string }
  | { kind: "message"; text: string }
  | { kind: "file"; name: string; bytes: number };

export type PagePorts = {
  ask(question: PageQuestion): Promise<boolean>;
  /** Shows the approval that a call waits for; null where it was not approved. */
  approve(id: string): Promise<OutcomeAnswer | null>;
  /** Says it to a model; missing where there is none. */
  say?: ((text: string) => void) | undefined;
  save(content: Blob, name: string): void;
};

/** After so many refusals in a row, a page is not heard any more. */
const maxRefusals = 2;
const maxCallsAtOnce = 16;
const maxLogs = 20;
const maxMessage = 4_000;
const maxUrl = 2_000;

const refusal = (text: string) => ({ isError: true, content: [{ type: "text" as const, text }] });

type Result = { content: never[]; isError?: boolean } & UnknownObject;

/** What a page may ask of the one who shows it, each along the plane's path and as the page. */
export function createPageRequests({ server, uri, callId }: App, ports: PagePorts) {
  const conversation = conversationOf(callId);
  const page = { server, uri };
  let isAsking = false;
  let refusals = 0;
  let callsUnderWay = 0;
  let logs = 0;

  /** First the plane, which keeps the record; then the person. */
  async function mayDo(
    method: "ui/open-link" | "ui/message" | "ui/download-file",
    params: UnknownObject,
    question: PageQuestion,
  ) {
    if (isAsking || refusals >= maxRefusals) return false;
    isAsking = true;
    try {
      const { ok } = await callOperation("pages.ask", {
        name: server,
        page: uri,
        method,
        params,
        conversation,
      });
      if (!ok || !(await ports.ask(question))) {
        refusals += 1;
        return false;
      }
      refusals = 0;
      return true;
    } catch {
      refusals += 1;
      return false;
    } finally {
      isAsking = false;
    }
  }

  async function callTool(name: string, args: UnknownObject = {}): Promise<Result> {
    const outcome = await callOperation("call", {
      name: `${server}.${name}`,
      arguments: args,
      page,
      conversation,
      maxResultBytes: 0,
    });
    const finalOutcome = outcome.approval ? await ports.approve(outcome.approval.id) : outcome;
    if (finalOutcome === null) return refusal("A person did not approve this call.") as never;
    return (finalOutcome.result ??
      refusal(finalOutcome.error?.message ?? "The call had no result.")) as never;
  }

  return {
    /** By the name at its own server; another server's is out of reach. */
    async callTool(name: string, args?: UnknownObject): Promise<Result> {
      if (callsUnderWay >= maxCallsAtOnce)
        return refusal("This page has too many calls under way.") as never;
      callsUnderWay += 1;
      try {
        return await callTool(name, args);
      } catch (thrown) {
        return refusal(messageOf(thrown)) as never;
      } finally {
        callsUnderWay -= 1;
      }
    },
    readResource: (address: string) =>
      callOperation("resources.read", { name: server, uri: address, page: uri, conversation }),
    listResources: async () => {
      const { resources, resourceTemplates } = await callOperation("resources.list", {
        server,
        limit: 1000,
      });
      const withoutServer = (items: readonly object[]) =>
        items.map((item) => ({ ...item, server: undefined }));
      return {
        resources: withoutServer(resources),
        resourceTemplates: withoutServer(resourceTemplates),
      };
    },
    async openLink(url: string): Promise<boolean> {
      const target = url.length > maxUrl ? null : URL.parse(url);
      if (target === null || !["https:", "http:", "mailto:"].includes(target.protocol))
        return false;
      if (!(await mayDo("ui/open-link", { url: target.href }, { kind: "link", url: target.href })))
        return false;
      open(target.href, "_blank", "noopener,noreferrer");
      return true;
    },
    async message(content: readonly UnknownObject[]): Promise<boolean> {
      const text = content
        .map((block) => (block.type === "text" ? String(block.text) : ""))
        .join("\n")
        .trim();
      if (text === "" || text.length > maxMessage) return false;
      if (ports.say === undefined) {
        await callOperation("pages.ask", {
          name: server,
          page: uri,
          method: "ui/message",
          params: { text },
          conversation,
        });
        return false;
      }
      if (!(await mayDo("ui/message", { text }, { kind: "message", text }))) return false;
      ports.say(text);
      return true;
    },
    async download(contents: readonly UnknownObject[]): Promise<boolean> {
      for (const { type, resource } of contents) {
        if (type !== "resource" || !isObject(resource)) return false;
        const name = String(resource.uri).split(/[/\\]/).at(-1) || "file";
        const content = toBlob(resource);
        const params = { name, bytes: content.size };
        if (!(await mayDo("ui/download-file", params, { kind: "file", name, bytes: content.size })))
          return false;
        ports.save(content, name);
      }
      return contents.length > 0;
    },
    /** The first ones are kept; a page that talks on and on fills no record. */
    log(logMessage: UnknownObject): void {
      logs += 1;
      if (logs > maxLogs) return;
      const params = { level: logMessage.level, data: logMessage.data };
      const logRequest = {
        name: server,
        page: uri,
        method: "notifications/message",
        params,
        conversation,
      } as const;
      void callOperation("pages.ask", logRequest).catch(() => undefined);
    },
  };
}

function toBlob({ text, blob, mimeType }: UnknownObject): Blob {
  const type = stringOrNull(mimeType) ?? "application/octet-stream";
  if (typeof text === "string") return new Blob([text], { type });
  return new Blob([Uint8Array.from(atob(String(blob ?? "")), (letter) => letter.charCodeAt(0))], {
    type,
  });
}
