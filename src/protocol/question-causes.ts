import type { AnswerRequest } from "./questions-from-peer.ts";

type Cause = { onRequest?: AnswerRequest | undefined; by?: string | null | undefined };

export type QuestionCauses = {
  /** The same answerer, known to be asked as long as it has not answered. */
  asking(answer: AnswerRequest): AnswerRequest;
  /** Whose question it must be where nothing names it; undefined when that cannot be told. */
  only(waiting: readonly Cause[]): AnswerRequest | undefined;
};

/**
 * Who made the other side ask. With one request there is no doubt. With several of the same person, those that are
 * asked something already are not meant: the older servers ask one thing at a time. Between two people there is no
 * guessing.
 */
export function createQuestionCauses(): QuestionCauses {
  const asked = new Map<AnswerRequest, number>();
  return {
    asking: (answer) => (method, params, signal) => {
      const answering = answer(method, params, signal);
      asked.set(answer, (asked.get(answer) ?? 0) + 1);
      const done = () => {
        const left = (asked.get(answer) ?? 1) - 1;
        if (left === 0) asked.delete(answer);
        else asked.set(answer, left);
      };
      answering.then(done, done);
      return answering;
    },
    only(waiting) {
      const able = waiting.filter(({ onRequest }) => onRequest !== undefined);
      const all = [...new Set(able.map(({ onRequest }) => onRequest as AnswerRequest))];
      if (all.length < 2) return all[0];
      const isOnePerson = able.every(({ by }) => by !== undefined && by === able[0]?.by);
      const free = isOnePerson ? all.filter((answer) => !asked.has(answer)) : [];
      return free.length === 1 ? free[0] : undefined;
    },
  };
}
