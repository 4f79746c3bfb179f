import { brokenHeader } from "./balancer.ts";

/** What clients were told, to be compared with what is stored. */
export type Told = {
  /** Ids of calls that were answered, whatever the answer. */
  calls: Set<string>;
  /** Calls over MCP, whose answers carry no id. */
  mcpCalls: number;
  sessions: number;
  approvals: Set<string>;
  answered: Set<string>;
  changes: Set<string>;
  /** In flight on a replica that was killed. */
  killed: number;
  unexplained: string[];
};

export function nothingTold(): Told {
  return {
    ...{ calls: new Set(), approvals: new Set(), answered: new Set(), changes: new Set() },
    ...{ mcpCalls: 0, sessions: 0, killed: 0, unexplained: [] },
  };
}

type Answered = { status: number; body: Record<string, unknown>; headers: Headers };
type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answered | null>;

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Null when the answer was lost, which is counted. */
function poster(url: string, told: Told): Post {
  return async (path, body, headers = {}) => {
    try {
      const response = await fetch(`${url}${path}`, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify(body),
      });
      const broken = response.headers.get(brokenHeader);
      const text = await response.text();
      if (broken === "killed") told.killed += 1;
      else if (broken !== null) told.unexplained.push(`${path}: ${broken}`);
      if (broken !== null) return null;
      const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream");
      const last = isEvents ? (text.trimEnd().split("data: ").at(-1) ?? "{}") : text;
      return { status: response.status, headers: response.headers, body: JSON.parse(last || "{}") };
    } catch {
      // The replica was killed in the middle of its answer.
      told.killed += 1;
      return null;
    }
  };
}

type Kind = (post: Post, told: Told, stop: AbortSignal) => Promise<void>;

/** Clients that go on until they are told to stop: most call over HTTP, others in sessions, with approvals and in plans. */
export async function runClients(url: string, count: number, stop: AbortSignal, told: Told): Promise<void> {
  const post = poster(url, told);
  const kinds = [callOver, callOver, callInSession, callOver, approve, callOver, callInSession, queue];
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const kind = kinds[at % kinds.length] as Kind;
      while (!stop.aborted) await kind(post, told, stop);
    }),
  );
}

function expect(told: Told, what: string, answer: Answered, ...allowed: number[]): boolean {
  if (allowed.includes(answer.status)) return true;
  told.unexplained.push(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
  return false;
}

const callIn = ({ body }: Answered) => (body.call as { id: string }).id;

async function callOver(post: Post, told: Told): Promise<void> {
  const answer = await post("/tools/echo.echo/call", { arguments: { message: "hi" } });
  if (answer && expect(told, "call", answer, 200)) told.calls.add(callIn(answer));
}

async function approve(post: Post, told: Told): Promise<void> {
  const asked = await post("/tools/echo.put_note/call", { arguments: { key: "k", text: "words" } });
  if (!asked || !expect(told, "ask", asked, 202)) return;
  const { id } = asked.body.approval as { id: string };
  told.approvals.add(id);
  const answer = await post(`/approvals/${id}`, { decision: "approve" });
  // Whoever lost the first answer is told that it was taken.
  if (answer && expect(told, "approve", answer, 200, 409)) told.answered.add(id);
}

async function queue(post: Post, told: Told): Promise<void> {
  const body = { arguments: { key: "k", text: "words" }, mode: "plan" };
  const answer = await post("/tools/echo.put_note/call", body);
  if (!answer || !expect(told, "plan", answer, 202)) return;
  const { approvalId } = (answer.body.error as { data: { approvalId: string } }).data;
  told.changes.add(approvalId);
  // Plans of people are short.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

/** One session, for as long as there is one, wherever its requests go. */
async function callInSession(post: Post, told: Told, stop: AbortSignal): Promise<void> {
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const begun = await post("/mcp", { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = begun?.headers.get("mcp-session-id");
  if (!begun || !session || !expect(told, "initialize", begun, 200)) return;
  told.sessions += 1;
  const headers = { "mcp-session-id": session };
  const call = { name: "echo__echo", arguments: { message: "hi" } };
  for (let id = 1; !stop.aborted; id += 1) {
    const answer = await post("/mcp", { jsonrpc: "2.0", id, method: "tools/call", params: call }, headers);
    if (!answer) continue;
    if (!expect(told, "call in a session", answer, 200)) return;
    if (answer.body.error) told.unexplained.push(JSON.stringify(answer.body.error).slice(0, 200));
    else told.mcpCalls += 1;
  }
}
