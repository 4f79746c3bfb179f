import type { AnswerOf } from "../../../src/operations/operations.ts";
import { operationQuery } from "./operations.ts";

export type ServerQuestion = AnswerOf<"questions.list">["questions"][number];

/** Questions that servers ask the user during their calls. */
export const questionsQuery = () => operationQuery("questions.list", { limit: 1000 });
