import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { createPlane, principalOf } from "../../src/index.ts";
import { until } from "../../test/fixtures/until.ts";
import { tellStory } from "../story.ts";

const { chapter, promise } = tellStory("Approvals in a chat");
const secret = "8f742231b10e8888abcd99yyyzzz85a5";

/** Stands for the chat: it keeps its messages, and signs clicks as Slack does. */
type Button = { action_id: string; value: string };
type Message = {
  ts?: string;
  text: string;
  blocks: { type: string; elements?: Button[]; text?: { text: string } }[];
};
const posted: Message[] = [];
const updated: Message[] = [];
const chat = createServer(async (asked, response) => {
  const message = (await json(asked)) as Message;
  assert.equal(asked.headers.authorization, "Bearer chat-token-of-the-app");
  const isNew = asked.url === "/api/chat.postMessage";
  (isNew ? posted : updated).push(message);
  response.end(
    JSON.stringify({ ok: true, channel: "C-APPROVALS", ts: message.ts ?? `${posted.length}.0` }),
  );
}).listen(0, "127.0.0.1");
await once(chat, "listening");

process.env.CHAT_URL = `http://127.0.0.1:${(chat.address() as AddressInfo).port}`;
process.env.CHAT_TOKEN = "chat-token-of-the-app";
process.env.CHAT_SIGNING_SECRET = secret;

let deployed = 0;
let url = "";

const bodyOf = (user: string, value: string) =>
  new URLSearchParams({
    payload: JSON.stringify({ type: "block_actions", user: { id: user }, actions: [{ value }] }),
  }).toString();
const signed = (body: string, at = Math.floor(Date.now() / 1_000), key = secret) => ({
  "x-slack-request-timestamp": String(at),
  "x-slack-signature": `v0=${createHmac("sha256", key).update(`v0:${at}:${body}`).digest("hex")}`,
});
const send = async (body: string, headers: object, method = "POST", to = url) => {
  const response = await fetch(to, {
    method,
    headers: { ...headers },
    ...(method === "POST" && { body }),
  });
  return { status: response.status, words: (await response.text()).trim() };
};
const click = (user: string, value: string) => {
  const body = bodyOf(user, value);
  return send(body, signed(body));
};
const buttonsOf = (message: Message | undefined) => {
  const [approve, reject] = message?.blocks.find(({ type }) => type === "actions")?.elements ?? [];
  assert.ok(approve && reject, "the message has two buttons");
  return { approve: approve.value, reject: reject.value };
};

try {
  await using plane = await createPlane({ config: join(import.meta.dirname, "toolplane.json") });
  plane.tools.registerProvider("deploy", () => `deployed ${++deployed}`);
  plane.start();
  await until("the start of the extension", async () => {
    const status = (await plane.extensions.run("chat.status")) as { url: string | null };
    url = status.url ?? "";
    return url !== "";
  });
  /** A call that waits, and its buttons. */
  const ask = async (service = "shop") => {
    const count = posted.length;
    const call = plane.call("deploy", { service }, { approvalWaitMs: 600_000 });
    await until("the message", () => posted.length > count);
    return { call, ...buttonsOf(posted.at(-1)) };
  };

  chapter("A person answers");
  await promise("a click approves, the call runs, and the message says so", async () => {
    const { call, approve } = await ask();
    assert.deepEqual(await click("U-OLGA", approve), { status: 200, words: "thank you" });
    assert.equal((await call).ok, true);
    assert.equal(deployed, 1);
    await until("the change of the message", () => updated.length > 0);
    assert.match(JSON.stringify(updated[0]), /by olga/);
    assert.equal(updated[0]?.ts, "1.0");
    assert.ok(!JSON.stringify(updated[0]).includes('"actions"'), "the buttons are gone");
  });
  await promise("a click rejects, and nothing runs", async () => {
    const { call, reject } = await ask();
    assert.equal((await click("U-OLGA", reject)).status, 200);
    assert.equal((await call).error?.code, "APPROVAL_DENIED");
    assert.equal(deployed, 1);
  });
  await promise(
    "what was answered elsewhere is changed in the chat, and its buttons are over",
    async () => {
      const { call, approve } = await ask();
      const [, id = ""] = approve.split("/");
      const principal = principalOf({ user: "olga", groups: ["ops"] });
      await plane.approvals.answer(id, { decision: "reject" }, { principal });
      await call;
      await until("the change of the message", () => updated.length === 3);
      assert.equal((await click("U-OLGA", approve)).status, 410);
    },
  );
  await promise("arguments cannot mention people or leave their block", async () => {
    const { call, reject } = await ask("```<!channel> *bold* ```");
    assert.doesNotMatch(
      JSON.stringify(posted.at(-1)?.blocks[1]).slice(40, -10),
      /<!channel>|```.*```.*```/,
    );
    await click("U-OLGA", reject);
    await call;
  });

  chapter("Attacks: nothing is approved");
  const { call, approve, reject } = await ask();
  const body = bodyOf("U-OLGA", approve);
  const now = Math.floor(Date.now() / 1_000);
  const refuse = (what: string, status: number, attack: () => Promise<{ status: number }>) =>
    promise(`${what}: ${status}`, async () => {
      assert.equal((await attack()).status, status);
      assert.equal(deployed, 1, "it was approved");
    });
  await refuse("a forged signature", 401, () =>
    send(body, signed(body, now, "another secret of some length")),
  );
  await refuse("no signature", 401, () => send(body, {}));
  await refuse("a signature of another body", 401, () =>
    send(body, signed(bodyOf("U-OLGA", reject))),
  );
  await refuse("an old timestamp, signed", 401, () => send(body, signed(body, now - 301)));
  await refuse("a timestamp of the future, signed", 401, () => send(body, signed(body, now + 400)));
  await refuse("a timestamp that was changed", 401, () =>
    send(body, { ...signed(body, now - 301), "x-slack-request-timestamp": String(now) }),
  );
  await refuse("a timestamp that is no number", 401, () => send(body, signed(body, Number.NaN)));
  await refuse("the button of another approval", 403, () =>
    click("U-OLGA", approve.replace(/\/[^/]+\//, "/0123abcd/")),
  );
  await refuse("the other decision with the ticket of this one", 403, () =>
    click("U-OLGA", `approve/${reject.split("/").slice(1).join("/")}`),
  );
  await refuse("a button that is none", 403, () => click("U-OLGA", "approve"));
  await refuse("an unknown user", 403, () => click("U-STRANGER", approve));
  await refuse("a user of the prototype", 403, () => click("constructor", approve));
  await refuse("a user whom the plane does not let", 403, () => click("U-EVE", approve));
  await refuse("a body that is no click", 400, () => send("payload=no", signed("payload=no")));
  await refuse("another path", 404, () => send(body, signed(body), "POST", `${url}/more`));
  await refuse("another method", 405, () => send(body, signed(body), "GET"));
  await refuse("a huge body", 413, () => send("x".repeat(100_000), signed("x")));
  await refuse("a huge body of unknown length", 413, async () => {
    const sent = request(url, { method: "POST", headers: { "transfer-encoding": "chunked" } });
    sent.on("error", () => undefined);
    for (let part = 0; part < 20; part++) sent.write("x".repeat(10_000));
    const [response] = await once(sent, "response");
    return { status: response.statusCode };
  });
  await refuse("a slow body", 408, async () => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write("POST /clicks HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\npay");
    return { status: Number((await text(socket)).split(" ")[1]) };
  });

  chapter("A link is used once");
  await promise("the same click again is refused, and so is a later one", async () => {
    const headers = signed(body);
    assert.equal((await send(body, headers)).status, 200);
    assert.equal((await call).ok, true);
    assert.equal(deployed, 2);
    assert.equal((await send(body, headers)).status, 409);
    await until(
      "the end of the approval",
      async () => (await click("U-OLGA", approve)).status === 410,
    );
    assert.equal(deployed, 2);
  });
} finally {
  chat.close();
  chat.closeAllConnections();
}

chapter("Its life");
await promise("nothing listens any more", async () => {
  await assert.rejects(fetch(url, { method: "POST" }), /fetch failed/);
  assert.deepEqual(
    process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap"),
    [],
  );
});
