import type { PlaneError } from "../model/errors.ts";
import type { PlaneEvent } from "../model/events.ts";
import type { Channel } from "../protocol/message.ts";
import type { InstallFailure } from "./installer.ts";
import type { AttemptOptions, Install } from "./open-attempt.ts";
import type { OpenedSession } from "./open-session.ts";
import type { ConnectionFacts, RetryPolicy } from "./state.ts";

export type Live = OpenedSession & {
  openedAt: number;
  /** How many calls it has answered, and whether it has listed its tools before. */
  answered: number;
  hasListed: boolean;
  /** It is new and has not listed its tools, so none of them is called before it has. */
  owesListing: boolean;
};

export type ConnectionOptions = Pick<AttemptOptions, "connectTimeoutMs" | "open"> & {
  name: string;
  retry: RetryPolicy;
  /** Given where a program may have to fetch the server first. */
  install?: (Pick<Install, "limitMs" | "isInstalled"> & { explain: ExplainInstall }) | undefined;
  /** Is it to be connected again without anybody asking? */
  isKept(): boolean;
  emit(event: PlaneEvent): void;
  hide(text: string): string;
  /** Nothing is left of what this channel started. */
  onLeft(channel: Channel): void;
  /** What ran under this name before is gone: nothing is opened sooner, and closing waits for it too. */
  after?: Promise<void> | undefined;
  /** 0 is for ever. */
  idleTimeoutMs?: number;
  /** It was closed because nobody used it for so long. */
  onIdle?(): void;
};

/** What an installer that failed said about it; null when it was not the installer that failed. */
export type ExplainInstall = (said: string) => InstallFailure | null;

export type Connection = {
  facts(): ConnectionFacts;
  /** The last line that the installer wrote, as long as it is at work. */
  installLine(): string | null;
  live(): Live | null;
  /** What a person has to do before it can be opened, when that is why it could not. */
  requirement(): PlaneError | null;
  /** The open session; one is opened if there is none. Many may ask at once. */
  ensure(options?: { force?: boolean }): Promise<Live>;
  /** Somebody begins to use it, and ends. */
  enter(): void;
  leave(): void;
  /** Requests use it or wait for it. */
  isInUse(): boolean;
  /** It answered something: whatever went wrong before is over. */
  worked(live: Live): void;
  /** Gives up on a session that only looks alive. */
  lose(live: Live, reason: string): void;
  /** Ends the session and waits until nothing of it is left. It may be opened again. */
  close(reason: string): Promise<void>;
};
