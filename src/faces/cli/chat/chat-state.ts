import { uniqueId } from "../../../lib/stamps.ts";
import type { AgentStyle } from "../../../model/agent/agent-run.ts";
import type { ChatMessage } from "../../../model/agent/chat.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane, PlaneCallOptions } from "../../../model/plane.ts";
import type { Loading } from "./loading.ts";

/** What a person has set for what comes next; null is whatever is usual. */
export type ChatSettings = {
  isPlanning: boolean;
  isVerbose: boolean;
  model: string | null;
  toolset: string | null;
  style: AgentStyle | null;
  groups: string[] | null;
  state: string | null;
};

/** One conversation at the terminal. */
export type Chat = {
  readonly plane: Plane;
  readonly settings: ChatSettings;
  readonly loading: Loading;
  /** Servers that were disconnected here: their tools are gone. */
  readonly away: Set<string>;
  conversation: string;
  history: ChatMessage[];
  /** Asks the person, or takes the next line of the script; null when nobody answers. */
  ask(prompt: string, signal: AbortSignal): Promise<string | null>;
  /** Of a line that was no answer. */
  putBack(line: string): void;
  /** Ends what runs now. */
  readonly signal: AbortSignal;
  end(): void;
};

/** A verb that is typed with a slash. The exit code counts in scripts. */
export type Verb = {
  usage: string;
  about: string;
  /** It hears the signal, and tells how it ended; any other is left to itself when it is cancelled. */
  endsItself?: true;
  run(chat: Chat, words: string[]): Promise<number | undefined> | number | undefined;
};

export function usualSettings(): ChatSettings {
  return {
    ...{ isPlanning: false, isVerbose: false },
    ...{ model: null, toolset: null, style: null, groups: null, state: null },
  };
}

export function newConversation(): string {
  return `chat-${uniqueId()}`;
}

/** What every call of this conversation is made with. */
export function callOptions({ settings, conversation, signal }: Chat) {
  const { isPlanning, groups, state } = settings;
  return {
    ...{ face: "cli", signal, conversation },
    ...(isPlanning ? { mode: "plan" } : {}),
    ...(groups === null ? {} : { toolGroups: groups.includes("*") ? "*" : groups }),
    ...(state === null ? {} : { state }),
  } as const satisfies PlaneCallOptions;
}

export function usage(verb: string, { usage: text }: Pick<Verb, "usage">): PlaneError {
  return new PlaneError("USAGE", `Write it as: /${verb}${text === "" ? "" : ` ${text}`}`);
}
