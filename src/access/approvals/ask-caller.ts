import type { ApprovalAnswer, AskHere, KeptHeldCall } from "../../model/calls/held-call.ts";
import { toPlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import { viewOf } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";

/** A client that answers by itself would be asked without end. */
const maxTimesAsked = 10;

type FormContext = {
  askHere: AskHere;
  signal?: AbortSignal | undefined;
  stopping?: AbortSignal | undefined;
};

type FormPorts = {
  heldCalls: Pick<HeldCalls, "onNews">;
  answer(id: string, reply: ApprovalAnswer, by: Principal): Promise<unknown>;
  forms: Set<string>;
};

/** A question that the caller's own person sees. */
export type Form = {
  /** Aborted where that person gives no answer. */
  givenUp: AbortSignal;
  close(): void;
};

/** Shown until the question is answered, here or elsewhere, or until its caller leaves. */
export function openForm(
  heldCall: KeptHeldCall,
  { askHere, signal, stopping }: FormContext,
  { heldCalls, answer, forms }: FormPorts,
): Form {
  const closing = new AbortController();
  const givingUp = new AbortController();
  const close = () => closing.abort();
  const stopHearing = heldCalls.onNews(({ id, status }) => {
    if (id === heldCall.id && status !== "pending") close();
  });
  const ends = [closing.signal, signal, stopping].filter((end) => end !== undefined);
  const giveUp = () => givingUp.abort();
  const prompt = { askHere, signal: AbortSignal.any(ends), answer, giveUp };
  forms.add(heldCall.id);
  void askCaller(heldCall, prompt).finally(() => {
    stopHearing();
    forms.delete(heldCall.id);
  });
  return { givenUp: givingUp.signal, close };
}

type Prompt = Required<Pick<FormContext, "askHere">> &
  Pick<FormPorts, "answer"> & { signal: AbortSignal; giveUp(): void };

async function askCaller(heldCall: KeptHeldCall, prompt: Prompt): Promise<void> {
  const { askHere, signal, answer, giveUp } = prompt;
  const view = viewOf(heldCall);
  let problem: string | null = null;
  for (let timesAsked = 0; timesAsked < maxTimesAsked && !signal.aborted; timesAsked += 1) {
    try {
      const reply = await askHere(view, signal, problem);
      if (reply === null) return giveUp();
      await answer(view.id, reply, view.principal);
      return;
    } catch (thrown) {
      const { code, message } = toPlaneError(thrown);
      // Invalid arguments can be changed again; anything else ends the asking, not the question.
      if (code !== "INVALID_ARGUMENTS" && code !== "USAGE") return giveUp();
      problem = message;
    }
  }
  giveUp();
}
