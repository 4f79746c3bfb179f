import { plainText } from "../../../lib/plain-text.ts";
import type { Outcome } from "../../../model/call.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { HeldView, Plan } from "../../../model/held-call.ts";
import { findByPrefix, shorten } from "../approval-ids.ts";
import { renderArguments } from "../approval-view.ts";
import { colors } from "../colors.ts";
import { print } from "../output.ts";
import { exitCodeOf, printOutcome } from "../print-outcome.ts";
import { type Chat, usage, type Verb } from "./chat-state.ts";

const which = "[N|all|ID]";

export const plan: Verb = {
  usage: "[on|off|show]",
  about: "queue what would change something instead of doing it; show what is queued",
  async run(chat, [word]) {
    if (word !== undefined && !["on", "off", "show"].includes(word)) throw usage("plan", plan);
    const { settings } = chat;
    if (word !== "show") {
      settings.isPlanning = word === undefined ? !settings.isPlanning : word === "on";
      print(
        settings.isPlanning
          ? "Plan mode is on: what would change something is queued. /approve runs it."
          : "Plan mode is off: what the policy allows is done at once.",
      );
    }
    printWaiting(await waitingHere(chat));
    return undefined;
  },
};

export const approve: Verb = {
  usage: which,
  about: "run what waits: the first N, all of it, or one",
  async run(chat, words) {
    let code = 0;
    for (const held of await chosen(chat, words)) {
      const outcome = await run(chat, held);
      print(colors.bold(plainText(held.tool)));
      if (outcome) printOutcome(outcome);
      else print("It runs where its caller waits for it.");
      code = outcome ? exitCodeOf(outcome) : 0;
      // What comes next may rely on it.
      if (code !== 0) break;
    }
    return code;
  },
};

export const reject: Verb = {
  usage: `${which} [REASON…]`,
  about: "do none of what waits, or not these",
  async run(chat, [first, ...words]) {
    const reason = words.join(" ");
    const all = await chosen(chat, first === undefined ? [] : [first]);
    const said = reason === "" ? {} : { reason };
    for (const { id, plan: made } of all)
      if (made === null) await chat.plane.answerApproval(id, { decision: "reject", ...said });
      else await chat.plane.rejectPlan(made, { ids: [id], ...said });
    print(`${all.length} rejected: ${all.map(({ tool }) => plainText(tool)).join(", ")}`);
    return undefined;
  },
};

/** Null where it runs elsewhere. */
async function run({ plane }: Chat, { id, plan: made }: HeldView): Promise<Outcome | null> {
  if (made === null) return (await plane.answerApproval(id, { decision: "approve" })).outcome ?? null;
  return (await plane.approvePlan(made, { ids: [id] })).outcomes[0]?.outcome ?? null;
}

/** What this conversation has queued, in the order in which it runs, then what else of it waits. */
async function waitingHere({ plane, conversation }: Chat): Promise<HeldView[]> {
  const [plans, approvals] = await Promise.all([plane.plans(), plane.approvals({ status: "pending" })]);
  const queued = plans
    .filter((made) => made.conversation === conversation && isOpen(made))
    .flatMap(({ changes }) => changes.filter(({ status }) => status === "pending"));
  const alone = approvals.filter((held) => held.plan === null && held.options.conversation === conversation);
  return [...queued, ...alone];
}

function isOpen({ status }: Plan): boolean {
  return status === "pending" || status === "partly";
}

/** Without a word it is all of it. */
async function chosen(chat: Chat, words: readonly string[]): Promise<HeldView[]> {
  const [word = "all", ...others] = words;
  if (others.length > 0) throw usage("approve", approve);
  const waiting = await waitingHere(chat);
  if (waiting.length === 0) throw new PlaneError("NOT_FOUND", "Nothing waits for an answer here.");
  if (word === "all") return waiting;
  if (/^\d{1,3}$/.test(word) && Number(word) > 0) return waiting.slice(0, Number(word));
  const ids = waiting.map(({ id }) => id);
  const id = findByPrefix(word, ids, { what: "change", where: "/plan show" });
  return waiting.filter((held) => held.id === id);
}

function printWaiting(waiting: readonly HeldView[]): void {
  if (waiting.length === 0) return print(colors.dim("Nothing is queued."));
  const short = shorten(waiting.map(({ id }) => id));
  for (const [at, { id, tool, shown, verdict }] of waiting.entries()) {
    print(`${at + 1}. ${colors.bold(plainText(tool))} ${colors.dim(short(id))}`);
    for (const line of renderArguments(shown, "   ")) print(line);
    print(colors.dim(`   # ${plainText(verdict.reason)}`));
  }
}
