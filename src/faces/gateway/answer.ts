import type { Plane } from "../../model/plane.ts";
import { answerCall, createConsents } from "./answer-call.ts";
import { createOfferAnswers } from "./answer-offers.ts";
import { renderFailure } from "./failures.ts";
import type { ParkedRequests } from "./parked-requests.ts";
import { type Request, type Responder, refuseCursor } from "./request.ts";
import type { Surfaces } from "./surfaces.ts";
import type { Answer, RequestContext } from "./visit.ts";

export type Core = {
  /** Answers what means the same in every revision; never rejects. Null when it does not know the method. */
  answer(request: Request, visit: RequestContext): Promise<Answer> | null;
};

/** What is asked of us, whoever asks and however they came. */
export function createCore(plane: Plane, surfaces: Surfaces, parked: ParkedRequests): Core {
  const offers = createOfferAnswers(plane, surfaces);
  const consents = createConsents();
  const responders: Record<string, Responder> = {
    "tools/list": async ({ params }, { tools, era }) => {
      const refused = refuseCursor(params);
      return refused ?? { text: await tools.text(era) };
    },
    "tools/call": (request, visit) =>
      mayPark(request, visit, (inside) =>
        answerCall(plane, surfaces.of(visit.principal, visit.view), request.params, inside, consents),
      ),
    "prompts/list": offers.listPrompts,
    "prompts/get": (request, visit) => mayPark(request, visit, (inside) => offers.getPrompt(request, inside)),
    "resources/list": offers.listResources,
    "resources/templates/list": offers.listTemplates,
    "resources/read": (request, visit) =>
      mayPark(request, visit, (inside) => offers.readResource(request, inside)),
    "completion/complete": offers.complete,
  };

  /** The later revision has no requests of a server, so what runs has to wait while its client thinks. */
  function mayPark(
    request: Request,
    visit: RequestContext,
    run: (inside: RequestContext) => Promise<Answer>,
  ): Promise<Answer> {
    return visit.era === "legacy" ? run(visit) : park(request, visit, run);
  }

  async function park(
    { method, params }: Request,
    visit: RequestContext,
    run: (inside: RequestContext) => Promise<Answer>,
  ) {
    const request = JSON.stringify([method, params.name ?? params.uri, params.arguments ?? {}]);
    return (await parked.resume(visit, request, params)) ?? parked.begin(visit, request, run);
  }

  return {
    answer(request, visit) {
      const respond = Object.hasOwn(responders, request.method) ? responders[request.method] : undefined;
      return respond ? respond(request, visit).catch(renderFailure) : null;
    },
  };
}
