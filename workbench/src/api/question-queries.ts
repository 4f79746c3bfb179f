import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { QuestionAnswer } from "../../../src/model/calls/provider.ts";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get, part, post } from "./client.ts";

export type ServerQuestion = AnswerOf<"questions.list">["questions"][number];

/** Questions that servers ask the user during their calls. */
export const questionsQuery = () =>
  queryOptions({
    queryKey: ["questions"],
    queryFn: ({ signal }) => get<AnswerOf<"questions.list">>("/questions?limit=1000", signal),
  });

export function useQuestionAnswer(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (answer: QuestionAnswer) => post<{ ok: boolean }>(`/questions/${part(id)}`, answer),
    onSettled: () => client.invalidateQueries({ queryKey: ["questions"] }),
  });
}
