import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Approvals in a chat: a call that waits is a message with two buttons, and a click is an answer. Messages and clicks are
 * shaped and signed as Slack does it.
 * @typedef {{ postUrl: string, updateUrl?: string, token?: string, channel: string, signingSecret: string,
 *   users: Record<string, string>, host?: string, port?: number, windowSeconds?: number, bodySeconds?: number }} Settings
 * @typedef {Parameters<import("toolplane").ApprovalChannel["ask"]>[0]} Held
 * @typedef {Parameters<import("toolplane").ApprovalChannel["ask"]>[1]} Answer
 * @typedef {{ held: Held, answer: Answer, usedBy: Set<string>, posted: Promise<{ ts?: string, channel?: string }> }} Asked
 */

const maxBodyBytes = 64 * 1024;
const maxShown = 2_500;
/** A chat waits about three seconds for the answer to a click. */
const patienceMs = 2_000;

const text = { type: "string", minLength: 1 };
/** @type {import("toolplane").Extension["settings"]} */
const settingsSchema = {
  type: "object",
  properties: {
    postUrl: {
      ...text,
      description: "Where messages are posted, such as https://slack.com/api/chat.postMessage.",
    },
    updateUrl: {
      ...text,
      description: "Where they are changed. Missing: a second message says how it ended.",
    },
    token: { ...text, description: "Sent as a bearer token." },
    channel: text,
    signingSecret: { ...text, minLength: 16, description: "What the chat signs its clicks with." },
    users: {
      type: "object",
      additionalProperties: text,
      description: "Users of the plane, by their id in the chat.",
    },
    host: { ...text, default: "127.0.0.1" },
    port: { type: "integer", minimum: 0, maximum: 65535, default: 4820 },
    windowSeconds: { type: "integer", minimum: 1, maximum: 3600, default: 300 },
    bodySeconds: { type: "number", exclusiveMinimum: 0, default: 5 },
  },
  required: ["postUrl", "channel", "signingSecret", "users"],
  additionalProperties: false,
};

/** @type {import("toolplane").Extension} */
export default {
  name: "chat-approvals",
  about: "Asks for approvals in a chat.",
  settings: settingsSchema,
  setup({ settings, log, addApprovalChannel, addOperation }) {
    const chat = createChat(/** @type {Settings} */ (/** @type {unknown} */ (settings)), log);
    addApprovalChannel({ name: "chat", ask: chat.ask, settled: chat.settled });
    addOperation({
      name: "chat.status",
      summary: "Where clicks are received, and how many approvals are asked for",
      scope: "admin",
      run: chat.status,
    });
    return { start: chat.start, reload: chat.reload, stop: chat.stop };
  },
};

/** @param {Settings} given @param {(text: string) => void} log */
function createChat(given, log) {
  let settings = given;
  /** Signs the buttons, so that one can be made for no other approval. */
  const ownKey = randomBytes(32);
  /** @type {Map<string, Asked>} */
  const asked = new Map();
  /** Clicks that have been received, by signature, with the time when they are too old anyway. @type {Map<string, number>} */
  const seen = new Map();
  const ending = new AbortController();

  const server = createServer({
    requestTimeout: (settings.bodySeconds ?? 5) * 1_000,
    connectionsCheckingInterval: 250,
  });
  server.headersTimeout = (settings.bodySeconds ?? 5) * 1_000;
  server.maxConnections = 100;
  server.on("request", async (request, response) => {
    const { status, words } = await receive(request).catch((thrown) => {
      log(`a click could not be taken: ${thrown}`);
      return { status: 500, words: "something went wrong" };
    });
    const headers = { "content-type": "text/plain", ...(status === 405 && { allow: "POST" }) };
    // The rest of what is too long is not read.
    if (status === 413) response.setHeader("connection", "close");
    response.writeHead(status, headers).end(`${words}\n`);
    if (status === 413) response.on("finish", () => request.destroy());
  });

  /** @param {import("node:http").IncomingMessage} request */
  async function receive(request) {
    if (request.url !== "/clicks") return no(404, "clicks go to /clicks");
    if (request.method !== "POST") return no(405, "a click is a POST");
    const body = await bodyOf(request);
    if (body === null) return no(413, "a click is shorter");
    const signature = String(request.headers["x-slack-signature"]);
    const at = String(request.headers["x-slack-request-timestamp"]);
    const why = mistrust(signature, at, body);
    if (why !== null) return no(401, why);
    if (seen.has(signature)) return no(409, "this click was received before");
    seen.set(signature, Date.now() + windowMs());
    const click = clickIn(body);
    if (click === null) return no(400, "this is no click on one of our buttons");
    return take(click);
  }

  const windowMs = () => (settings.windowSeconds ?? 300) * 1_000;

  /** @param {string} signature @param {string} at @param {Buffer} body */
  function mistrust(signature, at, body) {
    for (const [old, until] of seen) if (until < Date.now()) seen.delete(old);
    const isInTime =
      /^\d{1,12}$/.test(at) && Math.abs(Date.now() - Number(at) * 1_000) <= windowMs();
    const right = createHmac("sha256", settings.signingSecret)
      .update(`v0:${at}:`)
      .update(body)
      .digest("hex");
    if (!isSame(signature, `v0=${right}`)) return "the signature is wrong";
    return isInTime ? null : "the click is too old";
  }

  /** @param {{ user: string, value: string }} click */
  async function take({ user, value }) {
    const [decision = "", id = "", ticket = ""] = value.split("/");
    if (
      (decision !== "approve" && decision !== "reject") ||
      !isSame(ticket, ticketFor(decision, id))
    )
      return no(403, "this button is none of ours");
    const waiting = asked.get(id);
    if (waiting === undefined) return no(410, "it waits no longer");
    const by = Object.hasOwn(settings.users, user) ? settings.users[user] : undefined;
    if (by === undefined) return no(403, "you are not known here");
    if (waiting.usedBy.has(by)) return no(409, "you have answered");
    waiting.usedBy.add(by);
    try {
      // The call may run for long; that it was approved is known at once.
      const answering = waiting.answer(decision, by, "in the chat");
      answering.catch((thrown) => log(`an answer of '${by}' was not taken: ${thrown?.message}`));
      await Promise.race([answering, new Promise((done) => setTimeout(done, patienceMs).unref())]);
      return { status: 200, words: "thank you" };
    } catch (thrown) {
      waiting.usedBy.delete(by);
      return no(
        /** @type {{ code?: string }} */ (thrown).code === "FORBIDDEN" ? 403 : 409,
        "it is not yours to answer",
      );
    }
  }

  /** @param {string} decision @param {string} id */
  const ticketFor = (decision, id) =>
    createHmac("sha256", ownKey).update(`${decision}/${id}`).digest("base64url");

  /** @param {string} url @param {object} message @returns {Promise<{ ts?: string, channel?: string }>} */
  async function send(url, message) {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json; charset=utf-8",
        ...(settings.token !== undefined && { authorization: `Bearer ${settings.token}` }),
      },
      body: JSON.stringify({ channel: settings.channel, ...message }),
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(10_000)]),
    });
    if (!response.ok) throw new Error(`the chat answered with status ${response.status}`);
    /** @type {{ ok?: boolean, error?: string, ts?: string, channel?: string }} */
    const said = (await response.json().catch(() => null)) ?? {};
    if (said.ok === false) throw new Error(`the chat says: ${String(said.error).slice(0, 100)}`);
    return said;
  }

  return {
    /** @param {Held} held @param {Answer} answer */
    async ask(held, answer) {
      if (!server.listening)
        throw new Error("the plane does not serve, so that no click could be received");
      const button = (
        /** @type {string} */ decision,
        /** @type {string} */ label,
        /** @type {string} */ style,
      ) => ({
        type: "button",
        action_id: decision,
        style,
        text: { type: "plain_text", text: label },
        value: `${decision}/${held.id}/${ticketFor(decision, held.id)}`,
      });
      const elements = [
        button("approve", "Approve", "primary"),
        button("reject", "Reject", "danger"),
      ];
      const posted = send(settings.postUrl, messageOf(held, "", [{ type: "actions", elements }]));
      asked.set(held.id, { held, answer, usedBy: new Set(), posted });
      await posted;
    },
    /** @param {Held} held */
    async settled(held) {
      const waiting = asked.get(held.id);
      if (waiting === undefined) return;
      asked.delete(held.id);
      const { by, reason } = held.answer ?? {};
      const end = `*${held.status}*${by ? ` by ${escaped(by)}` : ""}${reason ? ` (${escaped(reason)})` : ""}`;
      const { ts, channel } = await waiting.posted;
      const message = messageOf(held, end);
      if (settings.updateUrl === undefined || ts === undefined)
        await send(settings.postUrl, message);
      else
        await send(settings.updateUrl, {
          ...message,
          ts,
          ...(channel !== undefined && { channel }),
        });
    },
    status() {
      const address = server.address();
      const port = typeof address === "object" ? address?.port : undefined;
      return {
        url: port === undefined ? null : `http://${settings.host ?? "127.0.0.1"}:${port}/clicks`,
        asked: asked.size,
      };
    },
    async start() {
      server.listen(settings.port ?? 4820, settings.host ?? "127.0.0.1");
      await once(server, "listening");
    },
    /** The address stays until the next start. @param {import("toolplane").ExtensionSetup["settings"]} next */
    reload(next) {
      settings = /** @type {Settings} */ (/** @type {unknown} */ (next));
    },
    async stop() {
      ending.abort();
      asked.clear();
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** @param {number} status @param {string} words */
const no = (status, words) => ({ status, words });

/** Texts of another length are not compared, and that takes no secret time. @param {string} given @param {string} right */
function isSame(given, right) {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Null where it is too long. One that comes too slowly is ended by the server. @param {import("node:http").IncomingMessage} request */
async function bodyOf(request) {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) return null;
  /** @type {Buffer[]} */
  const parts = [];
  let length = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += part.length;
    if (length > maxBodyBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** @param {Buffer} body */
function clickIn(body) {
  try {
    const { user, actions } = JSON.parse(new URLSearchParams(body.toString()).get("payload") ?? "");
    const value = actions?.[0]?.value;
    return typeof user?.id === "string" && typeof value === "string"
      ? { user: user.id, value }
      : null;
  } catch {
    return null;
  }
}

/** @param {Held} held @param {string} end @param {object[]} [more] */
function messageOf(held, end, more = []) {
  const who = held.principal.user ?? "an anonymous caller";
  const said = `${escaped(who)} wants to call *${escaped(held.tool)}*`;
  // What the system sets stands there as a placeholder.
  const args = escaped(JSON.stringify(held.shown, null, 2)).slice(0, maxShown);
  const section = (/** @type {string} */ words) => ({
    type: "section",
    text: { type: "mrkdwn", text: words },
  });
  const why = {
    type: "context",
    elements: [{ type: "mrkdwn", text: escaped(held.verdict.reason).slice(0, maxShown) }],
  };
  return {
    text: `${who} wants to call ${held.tool}`,
    blocks: [
      section(said),
      section(`\`\`\`${args}\`\`\``),
      why,
      ...(end === "" ? [] : [section(end)]),
      ...more,
    ],
  };
}

/** A tool or an argument cannot mention people, make links or leave its block. @param {string} words */
const escaped = (words) =>
  words
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("`", "'")
    .replaceAll("*", "∗");
