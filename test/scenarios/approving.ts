import type { Outcome } from "../../src/index.ts";
import type { HeldView, Plan } from "../../src/model/calls/held-schema.ts";
import type { TemporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import {
  fixture,
  type Printed,
  type RunningServe,
  runCli,
  type ServerEntry,
  startServe,
  writeConfig,
} from "./support.ts";

export type HttpAnswer = { status: number; headers: Headers; body: Record<string, unknown> };

/** `POST /path` with a body, or any other method; as the owner of the key. */
export type Ask = (
  route: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<HttpAnswer>;

export function askAt(url: string, key?: string): Ask {
  return async (route, body, headers = {}) => {
    const [method = "GET", path = "/"] = route.split(" ");
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(key === undefined ? {} : { "x-api-key": key }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
}

/** As the person who started the plane. */
export function askAsStarter({ url, proof }: Pick<RunningServe, "url" | "proof">): Ask {
  return askAt(url, proof.authorization?.slice("Bearer ".length));
}

/** A serving plane with the fixture `echo`, whose calls are logged. */
export async function serveEcho(
  directory: TemporaryDirectory,
  { server = {}, ...more }: { server?: ServerEntry } & Record<string, unknown> = {},
) {
  const log = directory.file("log");
  const config = await writeConfig(
    directory,
    { echo: fixture("echo", ["--log", log], server) },
    more,
  );
  const data = directory.file("data");
  const serving = await startServe(config, data);
  const place = ["--config", config, "--data-dir", data];
  return {
    log,
    data,
    config,
    place,
    url: serving.url,
    ask: askAsStarter(serving),
    cli: (...words: string[]) => runCli([...words, ...place]),
    /** Makes a key; from the first one on every caller needs one. */
    async as(user: string, ...words: string[]): Promise<Ask> {
      const made = await runCli([
        "keys",
        "create",
        user,
        "--user",
        user,
        ...words,
        "--json",
        ...place,
      ]);
      return askAt(serving.url, String(made.json().secret));
    },
    stop: serving.stop,
    [Symbol.asyncDispose]: serving[Symbol.asyncDispose],
  };
}

export const put = (key: string, more: object = {}) => ({
  arguments: { key, text: "words" },
  ...more,
});
export const putRoute = "POST /tools/echo.put_note/call";

export function approvalIn({ body }: { body: object }): string {
  const { approval } = body as Printed;
  if (approval === undefined) throw new Error(`nothing waits in ${JSON.stringify(body)}`);
  return approval.id;
}

export const approvalsIn = ({ body }: HttpAnswer) => body.approvals as HeldView[];
export const planIn = ({ body }: HttpAnswer) => (body.plan ?? body) as unknown as Plan;
export const outcomeIn = ({ body }: HttpAnswer) => body.outcome as Outcome;

/** Looks until it is so; for what another process does. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  const isFound = async () => {
    found = await look();
    return found !== undefined;
  };
  await until(what, isFound);
  return found as T;
}
