import type { Socket } from "node:net";
import { homedir } from "node:os";
import { parse } from "node:path";
import type { Duplex } from "node:stream";
import { isWithin, pause } from "../../lib/async/pause.ts";
import { uniqueId } from "../../lib/ids-and-time.ts";
import { nounFor } from "../../lib/text/wording.ts";
import { countProblems } from "../../model/config/config.ts";
import { toPlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { type Principal, withListed } from "../../model/principal.ts";
import type { StoredSession } from "../../model/servers/client-sessions.ts";
import {
  type Aside,
  asideMark,
  type Farewell,
  type Hello,
  otherVariables,
  type Refusal,
  type Welcome,
} from "./attachment.ts";
import { type PlanePlace, type PlaneRecord, placedCaller, planePlace } from "./plane-place.ts";

const pollMs = 10;
/** How long a dismissed client waits for the answers of calls that the plane has ended. */
const answerWaitMs = 2_000;

/** One MCP client at the other end of a socket, as the gateway sees it. */
export type ClientStream = {
  stream: Duplex;
  signal: AbortSignal;
  principal: Principal;
  view: Hello["view"];
  session: {
    id: string;
    /** What an earlier plane kept of the session. */
    stored?: StoredSession;
    /** Gives the client what a later plane needs to go on. */
    store(session: StoredSession): void;
    /** Does the client go on with another plane? */
    goesOnElsewhere(): boolean;
    /** Called once the client can be served, and before anything is sent to it. */
    ready(): void;
  };
};

type Options = {
  place: PlanePlace;
  idleMs: number | null;
  environment: Readonly<Record<string, string | undefined>>;
  serveClient(client: ClientStream): Promise<void>;
};

/** The MCP clients that are attached to this plane. */
export class AttachedClients {
  readonly #plane: Plane;
  readonly #record: PlaneRecord;
  readonly #options: Options;
  /** Ends a background plane without clients. */
  readonly #leave: (why: "handover" | "idle") => void;
  readonly #attached = new Set<Socket>();
  #isDismissed = false;

  constructor(
    plane: Plane,
    record: PlaneRecord,
    options: Options,
    leave: (why: "handover" | "idle") => void,
  ) {
    this.#plane = plane;
    this.#record = record;
    this.#options = options;
    this.#leave = leave;
  }

  has(socket: Socket): boolean {
    return this.#attached.has(socket);
  }

  get count(): number {
    return this.#attached.size;
  }

  async take(greeting: unknown, socket: Socket): Promise<void> {
    const hello = readHello(greeting);
    const refusal = hello && this.#refuse(hello);
    if (hello !== null && refusal === null) return this.#serve(hello, socket);
    send(socket, { refused: refusal ?? { why: "it does not understand this client" } });
    socket.resume();
    socket.end();
  }

  /** Lets every client finish what it has begun, and go elsewhere with the rest. */
  async dismiss(bye: Farewell, limitMs: number): Promise<void> {
    this.#isDismissed = true;
    for (const socket of this.#attached) sendAside(socket, { bye });
    if (!(await this.#haveLeft(limitMs))) {
      // What they still wait for is answered, even where its outcome is not known.
      await isWithin(this.#plane.endCalls(), answerWaitMs);
      await this.#haveLeft(answerWaitMs);
    }
    for (const socket of this.#attached) socket.destroy();
  }

  async #haveLeft(limitMs: number): Promise<boolean> {
    const until = Date.now() + limitMs;
    while (this.#attached.size > 0 && Date.now() < until) await pause(pollMs);
    return this.#attached.size === 0;
  }

  #refuse(hello: Hello): Refusal["refused"] | null {
    const { idleMs, environment } = this.#options;
    if (this.#isDismissed) return { why: "it is stopping", leaves: true };
    if (hello.version !== this.#record.version) {
      // A plane without clients makes room for the version that is installed now.
      const leaves = idleMs !== null && this.#attached.size === 0;
      if (leaves) this.#leave("handover");
      return { why: `it is version ${this.#record.version}, and this is ${hello.version}`, leaves };
    }
    const ownPlace = this.#options.place;
    if (planePlace({ ...ownPlace, files: hello.files }).id !== ownPlace.id)
      return { why: "it serves another configuration" };
    const differing = otherVariables(hello, environment);
    if (differing.length === 0) return null;
    const state = nounFor(differing.length, "has a different value", "have different values");
    return { why: `${differing.join(", ")} ${state} there` };
  }

  async #serve(hello: Hello, socket: Socket): Promise<void> {
    const principal = withListed(
      placedCaller(hello.principal, hello.directory, this.#options.place),
      this.#plane.config().users,
    );
    const disconnect = new AbortController();
    socket.once("close", () => disconnect.abort());
    let isReady = false;
    const { id, kept: storedSession } = hello.session ?? { id: uniqueId() };
    const ready = () => {
      isReady = true;
      this.#attached.add(socket);
      const notices = noticesFor(this.#plane, principal);
      send(socket, { welcome: { key: this.#record.key, notices } });
      socket.resume();
    };
    try {
      await this.#options.serveClient({
        stream: socket,
        signal: disconnect.signal,
        principal,
        view: hello.view,
        session: {
          id,
          ...(storedSession && { stored: storedSession }),
          store: (session) => sendAside(socket, { session: { id, kept: session } }),
          // A client that was dismissed attaches to the next plane.
          goesOnElsewhere: () => this.#isDismissed,
          ready,
        },
      });
    } catch (thrown) {
      if (!isReady) send(socket, { refused: { why: toPlaneError(thrown).message, isUsage: true } });
    } finally {
      this.#attached.delete(socket);
      socket.resume();
      socket.end();
    }
  }
}

function send(socket: Socket, line: Welcome | Refusal): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
}

/** Sends what is for the front that attached the client, and not for the client. */
function sendAside(socket: Socket, aside: Aside): void {
  if (!socket.destroyed) socket.write(`${asideMark}${JSON.stringify(aside)}\n`);
}

function readHello(greeting: unknown): Hello | null {
  const { version, files, principal, view, variables } = (greeting ?? {}) as Partial<Hello>;
  const isComplete =
    typeof version === "string" &&
    Array.isArray(files) &&
    typeof principal === "object" &&
    typeof view === "object" &&
    typeof variables === "object";
  return isComplete ? (greeting as Hello) : null;
}

/** What a client would have got from a plane of its own. */
function noticesFor(plane: Plane, principal: Principal): string[] {
  const { problems } = plane.config();
  const { directory, lines } = plane.trust.unanswered({ principal });
  const names = lines.map(({ name }) => `'${name}'`).join(", ");
  const notices: string[] = [];
  if (problems.length > 0)
    notices.push(
      `warning: The configuration has ${countProblems(problems)}. Run: toolplane config validate`,
    );
  // An editor that starts its servers there names its roots later.
  if (lines.length > 0 && ![parse(directory).root, homedir()].includes(directory))
    notices.push(
      `warning: ${directory} is not trusted yet for ${names}; run 'toolplane trust' there to look at it.`,
    );
  return notices;
}
