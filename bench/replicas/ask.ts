import { brokenHeader, replicaHeader } from "./balancer.ts";
import type { Failure, Told } from "./told.ts";

export type Answered = {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
  /** As it is noted where it is not what was hoped for. */
  failure(what: string): Failure;
};
/** Null when the answer was lost, which is noted. */
export type Ask = (
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answered | null>;

const json = { "content-type": "application/json", accept: "application/json" };
const shownCharacters = 400;

/** Where planes answer, and the key that all of them know. */
export type Door = { url: string; key: string };

/** Asks through the balancer, with `POST` where there is a body. */
export function askThrough({ url, key }: Door, told: Told): Ask {
  return async (path, body, headers = {}) => {
    const at = Date.now();
    const noted = (response: Response | null, what: string, reason: string): Failure => ({
      at: at - told.beganAt,
      tookMs: Date.now() - at,
      what: `${what} ${path}`,
      replica: response?.headers.get(replicaHeader) ?? null,
      status: response?.status ?? null,
      reason: reason.slice(0, shownCharacters),
    });
    let response: Response | null = null;
    try {
      response = await fetch(`${url}${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: { ...json, "x-api-key": key, ...headers },
      });
      const { status, headers: said } = response;
      const broken = said.get(brokenHeader);
      const text = await response.text();
      if (broken !== null) {
        const failure = noted(response, "no answer", broken);
        (broken.startsWith("killed") ? told.killed : told.unexplained).push(failure);
        return null;
      }
      const answer = response;
      const isEvents = said.get("content-type")?.startsWith("text/event-stream");
      const last = isEvents ? (text.trimEnd().split("data: ").at(-1) ?? "{}") : text;
      const failure = (what: string) => noted(answer, what, text);
      return { status, headers: said, body: JSON.parse(last || "{}"), failure };
    } catch (thrown) {
      // The balancer breaks off only what a killed replica did not finish, and says so first where it did not begin.
      const isCut = response !== null;
      const failure = noted(response, isCut ? "cut off" : "no balancer", String(thrown));
      (isCut ? told.killed : told.unexplained).push(failure);
      return null;
    }
  };
}
