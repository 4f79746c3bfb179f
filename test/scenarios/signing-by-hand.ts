import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { pageHeader } from "../../src/model/access/page-proof.ts";
import type { SigningWorld } from "../workbench/signing-world.ts";
import { password } from "../workbench/signing-world.ts";

export type Fields = Record<string, string | undefined>;
export type Answer = {
  status: number;
  location: URL | null;
  headers: Headers;
  text: string;
  json(): Record<string, unknown>;
};

type Cookie = { value: string; path: string };

/** A browser: it keeps cookies by their paths, and the secret of its pages. It follows nothing by itself. */
export function createAgent(origin: string) {
  const secret = randomBytes(32).toString("base64url");
  const proof = { [pageHeader]: secret };
  const jar = new Map<string, Cookie>();
  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const url = new URL(path, origin);
    const cookies = [...jar].filter(([, cookie]) => url.pathname.startsWith(cookie.path));
    const response = await fetch(url, {
      redirect: "manual",
      ...init,
      headers: {
        cookie: cookies.map(([name, { value }]) => `${name.split(" ")[0]}=${value}`).join("; "),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";", 1);
      const at = pair.indexOf("=");
      const where = /;\s*path=([^;]+)/i.exec(set)?.[1] ?? "/";
      const key = `${pair.slice(0, at)} ${where}`;
      if (pair.slice(at + 1) === "") jar.delete(key);
      else jar.set(key, { value: pair.slice(at + 1), path: where });
    }
    const text = await response.text();
    const location = response.headers.get("location");
    return {
      status: response.status,
      location: location === null ? null : new URL(location, url),
      headers: response.headers,
      text,
      json: () => JSON.parse(text) as Record<string, unknown>,
    };
  }
  /** A form of a page of the plane, with what the script of the page adds. */
  const post = (path: string, fields: Fields, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      body: query(path.startsWith("/sign-in/") ? { page: secret, ...fields } : fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", origin, ...headers },
    });
  /** What the script of a page asks for. */
  const prove = (path: string) => ask(path, { method: "POST", headers: { origin, ...proof } });
  /** What the person sees of their clients and browsers. */
  const access = () => prove("/sign-in/access/shown");
  return { ask, post, prove, access, proof, jar };
}

export type Agent = ReturnType<typeof createAgent>;

export function query(fields: Fields): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The claims of a token, unchecked. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<
    string,
    unknown
  >;

/** What a page of the sign-in does by itself; null where it waits for its person. */
async function runScript(agent: Agent, { text }: Answer): Promise<Answer | null> {
  const [, provePath] = /data-prove="([^"]+)"/.exec(text) ?? [];
  if (provePath !== undefined) {
    const proven = await agent.prove(provePath);
    if (proven.status !== 200) return null;
    const next = new URL(String(proven.json().next));
    return agent.ask(next.pathname + next.search);
  }
  const [, backPath, answer] =
    /<form data-auto method="post" action="([^"]+)">.*?name="answer" value="([^"]*)"/s.exec(text) ??
    [];
  if (backPath === undefined || answer === undefined) return null;
  return agent.post(backPath, { answer: answer.replaceAll("&amp;", "&") });
}

export const redirectUri = "https://client.example/callback";

export function createHand(world: SigningWorld) {
  const { url: origin } = world;

  const register = async (metadata: object = {}, headers: Record<string, string> = {}) => {
    const body = {
      client_name: "Probe",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...metadata,
    };
    return createAgent(origin).ask("/oauth/register", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  };
  const newClient = async (metadata: object = {}): Promise<string> => {
    const answer = await register(metadata);
    assert.equal(answer.status, 201, answer.text);
    return String(answer.json().client_id);
  };

  /** A request for a code, with whatever is different about it. */
  const request = (clientId: string, other: Fields = {}) => {
    const verifier = randomBytes(32).toString("base64url");
    const fields: Fields = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "call",
      state: "state of the client",
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${origin}/mcp`,
      ...other,
    };
    return { verifier, path: `/oauth/authorize?${query(fields)}`, fields };
  };

  /** Goes on until the browser would leave the plane; null where a page waits for the person. */
  async function follow(agent: Agent, answer: Answer): Promise<Answer> {
    let current = answer;
    while (current.location?.origin === origin && [302, 303].includes(current.status))
      current = await agent.ask(current.location.pathname + current.location.search);
    const next = await runScript(agent, current);
    return next === null ? current : follow(agent, next);
  }
  const uidIn = (answer: Answer): string =>
    /\/sign-in\/([\w-]{20,})\//.exec(answer.text)?.[1] ?? assert.fail(answer.text);

  /** The boxes of a page that are ticked, as a browser sends them. */
  const ticked = (answer: Answer): Fields =>
    Object.fromEntries(
      [...answer.text.matchAll(/<input type="checkbox" name="([^"]+)" checked>/g)].map(
        ([, name]) => [name, "on"],
      ),
    );
  const consent = (agent: Agent, page: Answer, fields: Fields = ticked(page)) =>
    agent.post(`/sign-in/${uidIn(page)}/consent`, fields);

  /** From the first request to the way back to the client. */
  async function allow(agent: Agent, path: string, user: string): Promise<URL> {
    let page = await follow(agent, await agent.ask(path));
    if (page.text.includes("<h1>Sign in</h1>"))
      page = await follow(
        agent,
        await agent.post(`/sign-in/${uidIn(page)}/password`, { user, password }),
      );
    if (page.text.includes("Allow</button>"))
      page = await follow(agent, await consent(agent, page));
    return page.location ?? assert.fail(`${page.status} ${page.text}`);
  }

  const token = (fields: Fields, headers: Record<string, string> = {}) =>
    createAgent(origin).ask("/oauth/token", {
      method: "POST",
      body: query(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });
  const exchange = (clientId: string, back: URL, verifier: string, other: Fields = {}) =>
    token({
      grant_type: "authorization_code",
      client_id: clientId,
      code: back.searchParams.get("code") ?? "",
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...other,
    });

  /** Signs in and gives tokens of a new client. */
  async function signIn(user: string, agent = createAgent(origin), other: Fields = {}) {
    const clientId = await newClient();
    const asked = request(clientId, other);
    const back = await allow(agent, asked.path, user);
    const answer = await exchange(clientId, back, asked.verifier);
    assert.equal(answer.status, 200, answer.text);
    const given = answer.json() as { access_token: string; refresh_token: string; scope: string };
    return { ...given, clientId, back, verifier: asked.verifier, agent };
  }
  const refresh = (clientId: string, refreshToken: string, other: Fields = {}) =>
    token({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refreshToken,
      ...other,
    });

  /** The status of a request with this token. */
  async function use(accessToken: string, path = "/mcp"): Promise<number> {
    const response = await fetch(`${origin}${path}`, {
      headers: { authorization: `Bearer ${accessToken}`, accept: "application/json" },
      ...(path === "/mcp"
        ? {
            method: "POST",
            headers: {
              authorization: `Bearer ${accessToken}`,
              "content-type": "application/json",
              accept: "application/json, text/event-stream",
            },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "initialize",
              params: {
                protocolVersion: "2025-11-25",
                capabilities: {},
                clientInfo: { name: "p", version: "1" },
              },
            }),
          }
        : {}),
    });
    await response.text();
    return response.status;
  }

  async function invite(user: string, more: object = {}): Promise<void> {
    const { url } = await world.withPlane((plane) => plane.people.invite({ user, ...more }));
    const { pathname } = new URL(url);
    const answer = await createAgent(origin).post(`${pathname}/password`, { password });
    assert.equal(answer.location?.pathname, "/sign-in/welcome", answer.text);
  }

  return {
    origin,
    register,
    newClient,
    request,
    follow,
    uidIn,
    ticked,
    consent,
    allow,
    token,
    exchange,
    signIn,
    refresh,
    use,
    invite,
  };
}
