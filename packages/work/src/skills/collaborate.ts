import { fenceUntrusted } from "@toolplane/core/lib/text/plain-text";
import { sentence } from "@toolplane/core/lib/text/wording";
import { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";
import type { Collaboration, Participant, SkillManifest } from "@toolplane/core/model/work/skill";

/** A model by its name, with its system prompt; the default one when left out. */
export type AskedModel = { model?: string | undefined; system?: string | undefined };

export type AgentEnd = { record: string; answer: string };

/** How skills reach models. */
export type ModelPorts = {
  askAgent(
    skill: SkillManifest,
    input: JsonObject,
    signal: AbortSignal,
    by?: AskedModel,
  ): Promise<AgentEnd>;
  ask(by: AskedModel, question: string, signal: AbortSignal): Promise<string>;
};

type ParticipantReply = { who: Participant; text: string | null; weight: number };

/** Several models come to one answer, as the skill says. A late answer counts as none. */
export async function collaborate(
  skill: SkillManifest & { collaboration: Collaboration },
  input: JsonObject,
  parts: ModelPorts,
  signal: AbortSignal,
): Promise<AgentEnd> {
  const { protocol, participants, quorum } = skill.collaboration;
  const askAll = (question: string) => collectReplies(skill.collaboration, question, parts, signal);
  const requireQuorum = (
    agreeing: readonly ParticipantReply[],
    allReplies: readonly ParticipantReply[],
  ) => {
    const share = weightOf(agreeing) / weightOf(allReplies);
    if (!(share >= quorum)) throw disagreement(skill, allReplies, share || 0);
  };

  if (protocol === "contract_net") {
    const bids = await askAll(participantPrompt(skill, input, bidQuestion));
    const valid = bids.filter((bid) => bidIn(bid) !== null);
    requireQuorum(valid, bids);
    const weightedBid = (bid: ParticipantReply) => (bidIn(bid) ?? 0) * bid.weight;
    const [best] = valid.toSorted((a, b) => weightedBid(b) - weightedBid(a));
    const { model, system_prompt: system } = best?.who ?? participants[0] ?? {};
    return parts.askAgent(skill, input, signal, { model, system });
  }
  const first = await parts.askAgent(skill, input, signal);
  if (protocol === "vote") {
    const votes = await askAll(participantPrompt(skill, input, voteQuestion, first.answer));
    requireQuorum(
      votes.filter(({ text }) => /^\W*yes\b/i.test(text ?? "")),
      votes,
    );
    return first;
  }
  const remarks = await askAll(participantPrompt(skill, input, doubtQuestion, first.answer));
  const spokenRemarks = remarks.flatMap(({ text }) => text ?? []);
  requireQuorum(
    remarks.filter(({ text }) => text !== null),
    remarks,
  );
  const doubts = spokenRemarks.filter((text) => !/^\W*nothing\b/i.test(text));
  if (doubts.length === 0) return first;
  const question = participantPrompt(skill, input, reviseQuestion, first.answer, doubts);
  return { ...first, answer: await parts.ask({}, question, signal) };
}

async function collectReplies(
  { participants, timeout }: Collaboration,
  question: string,
  { ask }: ModelPorts,
  signal: AbortSignal,
): Promise<ParticipantReply[]> {
  const replySignal = AbortSignal.any([signal, AbortSignal.timeout(timeout * 1_000)]);
  const allReplies = await Promise.all(
    participants.map(async (who): Promise<ParticipantReply> => {
      const { model = who.provider, system_prompt: system, weight = 1 } = who;
      const text = await ask({ model, system }, question, replySignal).catch(() => null);
      return { who, text: text?.trim() || null, weight };
    }),
  );
  signal.throwIfAborted();
  return allReplies;
}

function weightOf(allReplies: readonly ParticipantReply[]): number {
  return allReplies.reduce((sum, { weight }) => sum + weight, 0);
}

function bidIn({ text }: ParticipantReply): number | null {
  const [bid] = /\d+(?:\.\d+)?/.exec(text ?? "") ?? [];
  if (bid === undefined) return null;
  return Math.min(100, Number(bid));
}

function disagreement(
  { name }: SkillManifest,
  allReplies: readonly ParticipantReply[],
  share: number,
): PlaneError {
  const answers = allReplies
    .map(({ who, text }) => `${who.id}: ${text?.slice(0, 200) ?? "no answer"}`)
    .join("; ");
  const message = `The participants of skill '${name}' did not agree, ${Math.round(share * 100)} % of them did (${answers})`;
  return new PlaneError("TOOL_ERROR", sentence(message), { data: { skill: name, share } });
}

const voteQuestion =
  "Does the answer do what the instructions ask for? Begin with YES or NO, then say why in a sentence.";
const doubtQuestion = "What is wrong with the answer, or missing? Say NOTHING where nothing is.";
const bidQuestion = "How well can you do this, from 0 to 100? Answer with the number alone.";
const reviseQuestion =
  "Write the answer again, with what the remarks are right about. Give nothing but the answer.";

/** What a participant reads. What a model wrote is fenced: it is text and no order. */
function participantPrompt(
  { instruction_prompt, safety_notes }: SkillManifest,
  input: JsonObject,
  question: string,
  answer?: string,
  remarks: readonly string[] = [],
): string {
  const fenced = (what: string, text: string) => `The ${what}:\n${fenceUntrusted(text)}`;
  return [
    `Instructions:\n${instruction_prompt}`,
    safety_notes,
    Object.keys(input).length === 0 ? "" : `Input:\n${JSON.stringify(input)}`,
    answer === undefined ? "" : fenced("answer", answer),
    ...remarks.map((remark) => fenced("remark", remark)),
    question,
  ]
    .filter(Boolean)
    .join("\n\n");
}
