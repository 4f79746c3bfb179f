import { matchesGlob } from "../../lib/text/glob.ts";
import type { Policy } from "../../model/access/policy.ts";
import type { SideEffects, Tool } from "../../model/catalogue/tool.ts";
import type { ToolImpact } from "../../model/catalogue/tool-schema.ts";

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

const readVerbs = wordSet(`
  get list read fetch search find query show describe view look lookup count check inspect browse download peek preview
  validate verify diff compare analyze analyse summarize summarise explain compute calc calculate convert translate
  parse format detect estimate predict status info ping whoami help echo is has can exists resolve scan monitor watch
  trace measure screenshot snapshot wait retrieve load lint grep glob ls cat head tail stat tree select filter sort
  aggregate group rank suggest recommend discover enumerate identify classify extract ask answer think plan render
  solve evaluate sum average round encode decode hash random tell version health history
`);

/** Reading words that are nouns as often: what stands at the end of the name counts for more. */
const nounLikeReads = wordSet(
  "list search query status info view count history version health plan group tree watch",
);

const writeVerbs = wordSet(`
  create write update delete edit remove push commit put post patch add set insert modify merge send execute exec run
  move upload drop reset scale click rename copy save store upsert replace append publish deploy install uninstall
  start stop restart kill cancel close reopen approve reject assign unassign grant revoke enable disable purge truncate
  clear flush rollback revert restore migrate fill type press submit drag fork star unstar transfer pay charge refund
  order buy book reserve invite ban archive unarchive import sync trigger apply resize attach detach lock unlock sign
  tag untag comment reply subscribe unsubscribe register unregister mark toggle increment decrement rotate provision
  terminate reboot mount unmount chmod chown mkdir rm rmdir mv cp touch broadcast notify email dispatch schedule pause
  resume configure change alter destroy erase wipe overwrite prune cherry rebase squash share unshare follow unfollow
  like vote upvote pin unpin mute unmute block unblock activate deactivate promote demote join leave link unlink draft
  generate build compile sell withdraw deposit spend burn mint swap ship kick release unpublish retry
  checkout stash clone pull init bootstrap shutdown halt suspend evict cordon drain taint label annotate
`);

/** Writing words that are nouns as often: behind them, a reading word at the end counts for more. */
const nounLikeWrites = wordSet(`
  post commit comment release order request fork branch tag star pull merge message log patch book mail email record
  share link lock note schedule import build label draft block vote like pin email charge transfer change image
`);

const destroyVerbs = wordSet(
  "delete remove drop destroy purge truncate wipe erase rm rmdir kill terminate overwrite",
);

/** Adding up numbers leaves no trace. */
const arithmetic = wordSet("add sum subtract multiply divide increment decrement round");
const quantities = wordSet(
  "number numbers int ints integer integers float floats value values vectors two",
);

const phrasal: ReadonlySet<string> = new Set(["check in", "check out", "look after", "read in"]);

const joining = wordSet("and or then");

/** What stands behind these says what for, not what is done. */
const purposes = wordSet("to for by of with in from before after");

/** `known` is false for what only the name of the tool suggests. */
export type Effect = { effect: "read" | "write" | "unknown"; because: string; known: boolean };

/** `network` says how a tool works and not what it does, so it decides nothing. */
const declared: Record<SideEffects, "read" | "write" | null> = {
  none: "read",
  read_external_service: "read",
  compute: "read",
  write: "write",
  filesystem: "write",
  database: "write",
  system: "write",
  network: null,
};

/** Does it change anything? The operator's word first, then the manifest, a trusted server's hints, the name. */
export function effectOf(tool: Tool, effects: Policy["effects"]): Effect {
  for (const [pattern, effect] of Object.entries(effects)) {
    if (matchesGlob(pattern, tool.name) || matchesGlob(pattern, tool.modelName))
      return { effect, because: `'policy.effects' sets it for '${pattern}'`, known: true };
  }
  const { side_effects } = tool.metadata;
  const declaredEffect = declared[side_effects];
  // A server's blanket `side_effects` is about the worst of its tools; its own word on one of them is closer.
  const hinted = tool.trusted ? hintOf(tool) : null;
  if (hinted !== null && tool.id.server !== null && tool.effects !== "explicit") return hinted;
  if (declaredEffect !== null)
    return {
      effect: declaredEffect,
      because: `its side effects are '${side_effects}'`,
      known: true,
    };
  if (hinted !== null) return hinted;
  if (tool.id.kind) return { effect: "read", because: "the protocol says so", known: false };
  return withUntrustedHint(tool, effectOfName(tool.id.tool));
}

/** A hint of a server that is not trusted proves nothing; it is named as what it is. */
function withUntrustedHint({ annotations }: Tool, byName: Effect): Effect {
  if (annotations.readOnlyHint !== true || byName.effect === "write") return byName;
  return { ...byName, because: "its server declares it a read and is not trusted" };
}

/** The same for people, who also want to know what cannot be undone. */
export function impactOf(tool: Tool, effects: Policy["effects"]): ToolImpact {
  const { effect, because, known } = effectOf(tool, effects);
  if (effect !== "write")
    return { impact: effect === "read" ? "reads" : "unknown", because, known };
  const { trusted, annotations } = tool;
  if (annotations.destructiveHint === true) {
    const declaration = trusted
      ? "its trusted server declares it"
      : "its server declares it destructive";
    return { impact: "destroys", because: declaration, known: trusted };
  }
  if (trusted && annotations.destructiveHint === false) return { impact: "writes", because, known };
  const verb = tokensOf(tool.id.tool).find((token) => destroyVerbs.has(token));
  if (verb === undefined) return { impact: "writes", because, known };
  return { impact: "destroys", because: `its name says '${verb}'`, known: false };
}

/** What the mode refuses anyway is not offered: in review mode only what is known to read is. */
export function isOffered(
  tool: Tool,
  { mode, effects }: Pick<Policy, "mode" | "effects">,
): boolean {
  if (mode !== "review") return true;
  const { effect, known } = effectOf(tool, effects);
  return known && effect === "read";
}

function hintOf({ annotations }: Tool): Effect | null {
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === true)
    return { effect: "read", because: "its trusted server declares it", known: true };
  if (readOnlyHint === false || destructiveHint === true)
    return { effect: "write", because: "its trusted server declares it", known: true };
  return null;
}

/** Does a server that is trusted or well known say that it reads, with a hint or by the name alone? */
export function callsItRead(
  { trusted, wellKnown, annotations, id }: Tool,
  { effect, known }: Effect,
): boolean {
  if (known || id.server === null || !(trusted || wellKnown)) return known && effect === "read";
  const { readOnlyHint, destructiveHint } = annotations;
  if (readOnlyHint === false || destructiveHint === true) return false;
  return readOnlyHint === true || effect === "read";
}

/** The first verb of the name decides, unless it is rather a noun and another stands at the end. */
export function effectOfName(name: string): Effect {
  const guess = judge(tokensOf(name));
  if (guess === null)
    return { effect: "unknown", because: "nothing tells what it does", known: false };
  return { ...guess, known: false };
}

function judge(tokens: readonly string[]): Omit<Effect, "known"> | null {
  const joined = tokens.findIndex(
    (token, index) => index > 0 && joining.has(tokens[index - 1] ?? "") && isWrite(token),
  );
  if (joined > 0) return write(tokens[joined] as string);
  const verbIndex = tokens.findIndex((token) => readVerbs.has(token) || writeVerbs.has(token));
  if (verbIndex < 0) return null;
  const verb = tokens[verbIndex] as string;
  const last = tokens.at(-1) as string;
  const hasMore = verbIndex < tokens.length - 1;
  if (phrasal.has(tokens.slice(verbIndex, verbIndex + 2).join(" ")))
    return write(tokens.slice(verbIndex, verbIndex + 2).join("_"));
  if (arithmetic.has(verb) && tokens.slice(verbIndex + 1).some((token) => quantities.has(token)))
    return read(verb);
  if (readVerbs.has(verb)) {
    // Two verbs and nothing else: it does both.
    const isBoth =
      tokens.length - verbIndex === 2 &&
      isWrite(last) &&
      !nounLikeWrites.has(last) &&
      verb !== "check";
    if (isBoth) return write(last);
    const isForIt = purposes.has(tokens.at(-2) ?? "") || nounLikeWrites.has(last);
    if (hasMore && nounLikeReads.has(verb) && isWrite(last) && !isForIt) return write(last);
    return read(verb);
  }
  if (hasMore && nounLikeWrites.has(verb) && readVerbs.has(last)) return read(last);
  return write(verb);
}

function isWrite(verb: string) {
  return writeVerbs.has(verb);
}

function read(verb: string) {
  return { effect: "read" as const, because: `its name says '${verb}'` };
}

function write(verb: string) {
  return { effect: "write" as const, because: `its name says '${verb}'` };
}

function tokensOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/(?<=[A-Z])(?=[A-Z][a-z])/g, " ")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((token) => token !== "");
}
