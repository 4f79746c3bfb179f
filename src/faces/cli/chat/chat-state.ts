import { serialized } from "../../../lib/async/once.ts";
import { uniqueId } from "../../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { matchesGlob } from "../../../lib/text/glob.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import type { AgentStyle } from "../../../model/agent/agent-run.ts";
import type { ChatMessage } from "../../../model/agent/chat.ts";
import type { PolicyMode } from "../../../model/calls/call.ts";
import type { ApprovalAnswer, AskHere } from "../../../model/calls/held-call.ts";
import { alwaysLoaded } from "../../../model/catalogue/tool-name.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane, PlaneCallOptions } from "../../../model/plane.ts";
import type { ToolListing } from "../../../model/plane-tools.ts";
import { renderApproval } from "../commands/approvals.ts";
import { choicesFor, readAnswer } from "../terminal/approval-prompt.ts";
import { colors, print, printWarning } from "../terminal/output.ts";
import { declined, type Prompts } from "../terminal/questions.ts";

/** What a person has set for what comes next; null is whatever is usual. */
type ChatSettings = {
  mode: PolicyMode;
  isVerbose: boolean;
  model: string | null;
  toolset: string | null;
  style: AgentStyle | null;
  groups: string[] | null;
  state: string | null;
};

/** The commands of the command line, run on the plane of the chat: `/servers list` is `toolplane servers list`. */
export type Commands = {
  readonly names: readonly string[];
  /** Its exit code. `otherNames` may have been meant where there is no such command. */
  run(typed: readonly string[], otherNames?: readonly string[]): Promise<number>;
  /** What may stand in the place of the last word. */
  complete(typed: readonly string[]): Promise<string[]>;
};

export type Chat = {
  readonly plane: Plane;
  readonly settings: ChatSettings;
  readonly loading: Loading;
  readonly commands: Commands;
  /** Servers that were disconnected here: their tools are gone. */
  readonly away: Set<string>;
  conversation: string;
  history: ChatMessage[];
  /** Asks the person, or takes the next line of the script; null without an answer. */
  ask(prompt: string, signal: AbortSignal): Promise<string | null>;
  /** Of a line that was no answer. */
  putBack(line: string): void;
  /** Ends what runs now. */
  readonly signal: AbortSignal;
  end(): void;
};

/** A verb about the chat itself. A number that it returns is an exit code, which counts in scripts. */
export type ChatCommand = {
  usage: string;
  about: string;
  run(chat: Chat, args: string[]): unknown;
};

export const usualSettings = (): ChatSettings => ({
  mode: "build",
  isVerbose: false,
  model: null,
  toolset: null,
  style: null,
  groups: null,
  state: null,
});

export function newConversation(): string {
  return `chat-${uniqueId()}`;
}

/** What every call of this conversation is made with. */
export function callOptions({ settings, conversation, signal }: Chat) {
  const { mode, groups, state } = settings;
  return {
    face: "cli",
    signal,
    conversation,
    ...(mode !== "build" && { mode }),
    ...(groups && { toolGroups: groups.includes("*") ? "*" : groups }),
    ...(state !== null && { state }),
  } as const satisfies PlaneCallOptions;
}

export function usage(verb: string, { usage: text }: Pick<ChatCommand, "usage">): PlaneError {
  return new PlaneError("USAGE", `Write it as: /${verb}${text === "" ? "" : ` ${text}`}`);
}

/** A person who types does not wait for the slowest server. */
const waitMs = 10_000;

/**
 * Which definitions are in the context of this conversation: all of them where they are few enough, otherwise those that are
 * always loaded and those that a search has brought. Everything in chat that says "loaded" means this.
 */
type Loading = Disposable & {
  /** The tools that are there for this conversation: those of disconnected servers are not. */
  tools(server?: string): Promise<ToolListing[]>;
  loadedAmong(tools: readonly ToolListing[]): Promise<(tool: ToolListing) => boolean>;
  /** How many of them were not loaded before. */
  load(names: readonly string[]): Promise<number>;
  unload(names: readonly string[]): void;
  /** Finds out what definitions cost, so that what is loaded can be counted in tokens. */
  weigh(): Promise<void>;
};

/** `away` are the servers that were disconnected here. */
export function createLoading(
  plane: Plane,
  conversation: string,
  away: ReadonlySet<string>,
): Loading {
  const searched = new Set<string>();
  let costs = new Map<string, number>();
  const isLazy = () => plane.tools.isLazy({ waitMs });
  const tools = async (server?: string) => {
    const listed = await plane.tools.list({ waitMs, ...withoutUndefined({ server }) });
    return listed.filter(({ id }) => id.server === null || !away.has(id.server));
  };
  const loadedAmong = async (candidates: readonly ToolListing[]) => {
    if (!(await isLazy())) return () => true;
    const always = alwaysLoaded(candidates, plane.config().lazy.alwaysLoadTools, matchesGlob);
    return (tool: ToolListing) => searched.has(tool.name) || always.has(tool);
  };
  const loadedNow = async () => {
    const available = await tools();
    return available.filter(await loadedAmong(available)).map(({ name }) => name);
  };
  const tokensOf = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (costs.get(name) ?? 0), 0);
  const weigh = async () => {
    const { tools: pricedTools = [] } = await plane.stats({ tools: true });
    costs = new Map(pricedTools.map(({ name, fullTokens }) => [name, fullTokens]));
  };
  const reportClient = () =>
    plane.clients.watch({
      id: conversation,
      user: plane.identity.usualCaller().user,
      client: "toolplane chat",
      era: "modern",
      since: new Date().toISOString(),
      async measure() {
        const names = await loadedNow();
        const mode = (await isLazy()) ? "lazy" : "full";
        return {
          mode,
          tools: names.length,
          loaded: [...searched],
          loadedTokens: tokensOf(names),
        };
      },
    });
  // A plane in another process has no use for what is shown here.
  const client = plane.isRemote ? undefined : reportClient();
  return {
    tools,
    loadedAmong,
    weigh,
    async load(names) {
      const loadedBefore = new Set(await loadedNow());
      const fresh = names.filter((name) => !loadedBefore.has(name));
      if (fresh.length === 0) return 0;
      await weigh();
      for (const name of fresh) searched.add(name);
      client?.loaded(fresh, tokensOf([...loadedBefore, ...fresh]));
      return fresh.length;
    },
    unload(names) {
      for (const name of names) searched.delete(name);
    },
    [Symbol.dispose]: () => client?.close(),
  };
}

/** Asks the person who types here about a waiting call, on a line of its own. */
export function askInLine(chat: Pick<Chat, "ask" | "putBack" | "signal">): AskHere {
  const { ask, putBack, signal: cancelled } = chat;
  // Calls of one turn run at once; a person is asked about each in turn.
  return serialized<Parameters<AskHere>, ApprovalAnswer | null>(
    async (heldCall, signal, problem) => {
      if (signal.aborted) return null;
      if (problem === null) print(renderApproval(heldCall, Date.now()));
      else printWarning(problem);
      const choices = choicesFor(heldCall, false);
      for (;;) {
        const line = await ask(colors.yellow(`Shall it run? ${choices}: `), signal);
        if (signal.aborted && !cancelled.aborted)
          print("It was answered elsewhere, or the call ended.");
        const answer = line === null ? null : readAnswer(line, { ...heldCall, allowEdit: false });
        if (answer !== undefined && answer !== "edit") return answer;
        if (line?.startsWith("/")) {
          putBack(line);
          print("It goes on waiting.");
          return null;
        }
        print(`Say ${choices}.`);
      }
    },
  );
}

/** Questions on a line of their own. A verb there is no answer: it declines, and is run afterwards. */
export function createLinePrompts(
  { ask, putBack }: Pick<Chat, "ask" | "putBack">,
  signal: () => AbortSignal,
): Prompts {
  const askLine = async (prompt: string): Promise<string | typeof declined> => {
    const line = await ask(colors.yellow(`${prompt}: `), signal());
    if (line === null) return declined;
    if (!line.startsWith("/")) return line.trim();
    putBack(line);
    print("It is declined.");
    return declined;
  };
  return {
    async confirm(message, usual) {
      const choices =
        usual === undefined ? "yes or no" : `yes or no, usually ${usual ? "yes" : "no"}`;
      for (;;) {
        const line = await askLine(`${message} (${choices})`);
        if (line === declined) return declined;
        if (/^y(?:es)?$/i.test(line)) return true;
        if (/^no?$/i.test(line)) return false;
        if (line === "" && usual !== undefined) return usual;
        print("Say yes or no.");
      }
    },
    async choose(message, values, isRequired) {
      const names = values.map((value) => plainText(String(value)));
      for (;;) {
        const line = await askLine(`${message} (${names.join(", ")})`);
        if (line === declined) return declined;
        const index = names.findIndex((name) => name.toLowerCase() === line.toLowerCase());
        if (index >= 0) return values[index];
        if (line === "" && !isRequired) return undefined;
        print(`Say one of ${names.join(", ")}.`);
      }
    },
    async write(message, { usual, isRequired }) {
      for (;;) {
        const line = await askLine(
          usual === undefined ? message : `${message} [${plainText(usual)}]`,
        );
        if (line === declined) return declined;
        if (line !== "") return line;
        if (usual !== undefined || !isRequired) return usual;
        print("This is needed.");
      }
    },
  };
}
