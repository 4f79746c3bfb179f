import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { startOAuth } from "../contracts/signing-in.ts";
import { freePort } from "../fixtures/free-port.ts";
import { startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { password } from "../workbench/signing-world.ts";
import { createAgent, createHand, type Fields } from "./signing-by-hand.ts";
import {
  namedServer,
  runCli,
  type ServeProcess,
  startServeProcess,
  writeConfig,
} from "./support.ts";

const ann = "ann@example.org";

/** Replicas behind one address; a request goes to the next of those that live. */
async function startReplicas(store: string | null, servers: object = {}) {
  const directory = await temporaryDirectory();
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const config = await writeConfig(
    directory,
    { files: namedServer("files", ["read"]), ...servers },
    {
      auth: { publicUrl: url, server: { enabled: true } },
      policy: { profile: "personal" },
      vaultKey: "ab".repeat(32),
      ...(store === null ? {} : { store }),
    },
  );
  const data = (at: number) => directory.file(store === null ? "data" : `data-${at}`);
  const start = (at: number) => startServeProcess(config, data(at), at === 0 ? String(port) : "0");
  const replicas: ServeProcess[] = [await start(0), await start(1)];
  const place = ["--config", config, "--data-dir", data(0), "--json"];
  return {
    url,
    replicas,
    start,
    place,
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.stop("SIGKILL");
      await directory[Symbol.asyncDispose]();
    },
  };
}

for (const kind of ["SQLite", "Postgres"] as const)
  suite(`planes that share ${kind}`, () => {
    test("sign a person in together, and one that is killed in the middle is not missed", async () => {
      await using database = kind === "Postgres" ? await startPostgres() : null;
      await using at = await startReplicas(database === null ? null : database.address());
      const [first, second] = at.replicas as [ServeProcess, ServeProcess];
      const invited = await runCli(["people", "invite", ann, ...at.place]);
      const { pathname } = new URL(String((invited.json() as { url?: string }).url));
      const hand = createHand({ url: at.url } as never);
      /** The same browser, at this replica. */
      const agent = createAgent(at.url);
      const via = (replica: ServeProcess) => ({
        ask: (path: string, init: RequestInit = {}) =>
          agent.ask(new URL(path, replica.url).href, init),
        post: (path: string, fields: Fields) => agent.post(new URL(path, replica.url).href, fields),
      });
      const step = async (replica: ServeProcess, location: URL | null) => {
        assert.ok(location);
        return via(replica).ask(location.pathname + location.search);
      };
      assert.equal((await via(second).post(`${pathname}/password`, { password })).status, 303);

      const client = await hand.newClient();
      const asked = hand.request(client);
      const begun = await via(first).ask(asked.path);
      const signIn = await step(second, begun.location);
      const uid = hand.uidIn(signIn);
      const signedIn = await via(first).post(`/sign-in/${uid}/password`, { user: ann, password });
      // The person has typed a password, and the plane that took it is gone.
      await first.stop("SIGKILL");
      const resumed = await step(second, signedIn.location);
      const consent = await step(second, resumed.location);
      const allowed = await via(second).post(
        `/sign-in/${hand.uidIn(consent)}/consent`,
        hand.ticked(consent),
      );
      at.replicas.push(await at.start(0));
      const third = at.replicas[2] as ServeProcess;
      const back = await step(third, allowed.location);
      assert.ok(back.location !== null, back.text);
      await second.stop("SIGKILL");
      const answer = await hand.exchange(client, back.location, asked.verifier);
      assert.equal(answer.status, 200, answer.text);
      const tokens = answer.json() as { access_token: string; refresh_token: string };

      at.replicas.push(await at.start(1));
      const fourth = at.replicas[3] as ServeProcess;
      const use = async (replica: ServeProcess, token: string) => {
        const response = await fetch(`${replica.url}/mcp`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
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
        });
        await response.text();
        return response.status;
      };
      assert.deepEqual(
        [await use(third, tokens.access_token), await use(fourth, tokens.access_token)],
        [200, 200],
      );
      const renewed = (await hand.refresh(client, tokens.refresh_token)).json() as {
        access_token: string;
      };
      assert.equal(await use(fourth, renewed.access_token), 200);

      const listed = await runCli(["grants", "list", ...at.place]);
      const { grants } = listed.json() as unknown as { grants: { id: string; user: string }[] };
      assert.deepEqual(
        grants.map(({ user }) => user),
        [ann],
      );
      assert.equal((await runCli(["grants", "revoke", grants[0]?.id ?? "", ...at.place])).code, 0);
      for (const replica of [third, fourth])
        await until(
          "what was taken back counts nowhere",
          async () => (await use(replica, renewed.access_token)) === 401,
        );
    });

    test("one begins the sign-in to a server behind, another ends it, and the first is gone by then", async () => {
      await using database = kind === "Postgres" ? await startPostgres() : null;
      await using oauth = await startOAuth();
      const remote = { url: oauth.url, auth: { type: "oauth" } };
      await using at = await startReplicas(database === null ? null : database.address(), {
        remote,
      });
      const [first, second] = at.replicas as [ServeProcess, ServeProcess];
      const invited = await runCli(["people", "invite", ann, ...at.place]);
      const { pathname } = new URL(String((invited.json() as { url?: string }).url));
      const hand = createHand({ url: at.url } as never);
      assert.equal(
        (await createAgent(at.url).post(`${pathname}/password`, { password })).status,
        303,
      );
      const { agent } = await hand.signIn(ann);

      const begun = await agent.prove("/servers/remote/sign-in");
      assert.equal(begun.status, 200, begun.text);
      await first.stop("SIGKILL");
      const sent = await fetch(String(begun.json().url), { redirect: "manual" });
      const { pathname: path, search } = new URL(sent.headers.get("location") ?? "");
      const back = new URL(path + search, second.url).href;
      const stranger = await createAgent(at.url).ask(back);
      assert.equal(stranger.status, 401, "another browser is not let in, and uses nothing up");
      const ended = await agent.ask(back);
      assert.match(ended.text, /Signed in to 'remote'/);
      assert.notEqual((await agent.ask(back)).status, 200, "once");
    });
  });
