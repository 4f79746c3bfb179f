/** A run that has to be begun or taken over; a call that failed and is to be made again. */
export type DueKind = "run" | "deadLetter";

/** Something may have to be done about it now; its record says whether, and what. */
export type DueItem = {
  kind: DueKind;
  id: string;
  /** Who cannot do one of a group can do none of it. */
  group: string;
};

/** Gives out what is due, each to one plane at a time. What is true of it stands in its record and not here. */
export type DueWork = {
  /** How often it has to be looked at, whatever `nextAt` says. */
  lookMs: number;
  /** As many of each kind as there is room for and not of these groups, the most urgent first. */
  take(room: Readonly<Record<DueKind, number>>, without: ReadonlySet<string>): Promise<DueItem[]>;
  /** Nothing more has to be done about one that was taken. */
  settle(item: DueItem): Promise<void>;
  /** One that was taken can be taken again, by anybody, from this time on. */
  giveBack(item: DueItem, at: number): Promise<void>;
  /** When the next schedule, run or dead letter is due; null when none is. */
  nextAt(after: number): Promise<number | null>;
  stop(): Promise<void>;
};

/** `ended` tells when the item is due again; null when it is over. */
export type Begun =
  | { is: "begun"; ended: Promise<number | null> }
  | { is: "over" }
  | { is: "later"; at: number }
  /** This plane can do nothing of its group. */
  | { is: "unknown" };

/** What a plane does about one kind. */
export type DueHandler = {
  kind: DueKind;
  lookMs: number;
  /** What has to be done by the clock besides, before each look. */
  onLook(now: number, hasJumpedBack: boolean): Promise<void>;
  /** So many more at a time. */
  room(): number;
  begin(item: DueItem): Promise<Begun>;
};

export function runGroup(job: string, owner: string | null): string {
  return JSON.stringify(["job", job, owner]);
}

export function deadLetterGroup(letter: { server: string | null; tool: string }): string {
  return JSON.stringify(["call", letter.server, letter.tool]);
}
