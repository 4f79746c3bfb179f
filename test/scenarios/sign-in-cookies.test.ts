import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { password, startSigningWorld } from "../workbench/signing-world.ts";
import { createAgent, createHand } from "./signing-by-hand.ts";

const origin = "https://tools.example.org";
const ann = "ann@example.org";

suite("cookies of a plane that a proxy speaks TLS for", () => {
  test("go back over TLS only, and that of a session to this host alone", async () => {
    await using world = await startSigningWorld({ publicUrl: origin });
    const hand = createHand(world);
    const { url } = await world.withPlane((plane) => plane.people.invite({ user: ann }));
    const agent = createAgent(world.url);
    const post = (path: string, fields: Record<string, string>) =>
      agent.post(path, fields, { origin });
    assert.equal((await post(`${new URL(url).pathname}/password`, { password })).status, 303);
    const clientId = await hand.newClient();
    const begun = await agent.ask(hand.request(clientId, { resource: `${origin}/mcp` }).path);
    assert.equal(begun.status, 303, begun.text);
    const page = await agent.ask(begun.location?.pathname ?? "");
    const signedIn = await post(`/sign-in/${hand.uidIn(page)}/password`, { user: ann, password });
    const after = await agent.ask(signedIn.location?.pathname ?? "");
    const cookies = [begun, page, signedIn, after].flatMap(({ headers }) => headers.getSetCookie());
    assert.ok(cookies.length > 0);
    for (const cookie of cookies) assert.match(cookie, /; secure/i, cookie);
    const session = cookies.filter((cookie) => cookie.includes("toolplane_session"));
    assert.ok(session.length > 0);
    // Without a domain and for every path, as browsers demand for this prefix.
    for (const cookie of session)
      assert.match(cookie, /^__Host-toolplane_session(?!.*domain=).*; path=\/;/i, cookie);
  });

  test("also that of a browser that has shown a key", async () => {
    await using world = await startSigningWorld({ publicUrl: origin });
    const { secret } = await world.withPlane((plane) => plane.keys.create({ name: "one" }));
    const response = await fetch(`${world.url}/session`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ key: secret }),
    });
    assert.equal(response.status, 200, await response.text());
    assert.match(response.headers.getSetCookie().join(), /; secure/i);
  });
});
