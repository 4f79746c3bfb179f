import { sentence } from "../../lib/sentence.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Collaboration, Participant, SkillManifest } from "../../model/skill.ts";
import { bidFor, doubtAbout, revise, voteOn } from "./collaboration-words.ts";
import type { AgentEnd, SkillParts } from "./step-memory.ts";

type Parts = Pick<SkillParts, "askAgent" | "ask">;
type Reply = { who: Participant; text: string | null; weight: number };

/** Several models come to one answer, as the skill says. Who does not answer in time has said nothing. */
export async function collaborate(
  skill: SkillManifest & { collaboration: Collaboration },
  input: JsonObject,
  parts: Parts,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const { protocol, participants, quorum } = skill.collaboration;
  const askAll = (question: string) => replies(skill.collaboration, question, parts, signal);
  const require = (agreeing: readonly Reply[], all: readonly Reply[]) => {
    const share = weightOf(agreeing) / weightOf(all);
    if (!(share >= quorum)) throw disagreement(skill, all, share);
  };

  if (protocol === "contract_net") {
    const bids = await askAll(bidFor(skill, input));
    const valid = bids.filter(({ text }) => bidIn(text) !== null);
    require(valid, bids);
    const [best] = valid.toSorted((a, b) => worth(b) - worth(a));
    const { model, system_prompt: system } = best?.who ?? participants[0] ?? {};
    return parts.askAgent(skill, input, signal, { model, system });
  }
  const first = await parts.askAgent(skill, input, signal);
  if (protocol === "vote") {
    const votes = await askAll(voteOn(skill, input, first.answer));
    require(votes.filter(({ text }) => /^\W*yes\b/i.test(text ?? "")), votes);
    return first;
  }
  const remarks = await askAll(doubtAbout(skill, input, first.answer));
  const said = remarks.flatMap(({ text }) => text ?? []);
  require(remarks.filter(({ text }) => text !== null), remarks);
  const doubts = said.filter((text) => !/^\W*nothing\b/i.test(text));
  if (doubts.length === 0) return first;
  const question = revise(skill, input, first.answer, doubts);
  return { ...first, answer: await parts.ask({}, question, signal) };
}

async function replies(
  { participants, timeout }: Collaboration,
  question: string,
  { ask }: Parts,
  signal: AbortSignal,
): Promise<Reply[]> {
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1_000)]);
  const all = await Promise.all(
    participants.map(async (who): Promise<Reply> => {
      const { model = who.provider, system_prompt: system, weight = 1 } = who;
      const text = await ask({ model, system }, question, either).catch(() => null);
      return { who, text: text?.trim() || null, weight };
    }),
  );
  signal.throwIfAborted();
  return all;
}

function weightOf(all: readonly Reply[]): number {
  return all.reduce((sum, { weight }) => sum + weight, 0);
}

function bidIn(text: string | null): number | null {
  const [found] = /\d+(?:\.\d+)?/.exec(text ?? "") ?? [];
  return found === undefined ? null : Math.min(100, Number(found));
}

function worth({ text, weight }: Reply): number {
  return (bidIn(text) ?? 0) * weight;
}

function disagreement({ name }: SkillManifest, all: readonly Reply[], share: number): PlaneError {
  const said = all.map(({ who, text }) => `${who.id}: ${text?.slice(0, 200) ?? "no answer"}`).join("; ");
  const part = Number.isNaN(share) ? 0 : Math.round(share * 100);
  return new PlaneError(
    "TOOL_ERROR",
    sentence(`The participants of skill '${name}' did not agree, ${part} % of them did (${said})`),
    { data: { skill: name, share: Number.isNaN(share) ? 0 : share } },
  );
}
