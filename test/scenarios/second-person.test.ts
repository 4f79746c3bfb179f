import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { type Ask, approvalIn, askAt, put, putRoute, serveEcho } from "./approving.ts";

const scopes = ["call", "admin"];
const yes = { decision: "approve" };

/** A plane on which calls are asked about, and Ann, an administrator who wants to answer her own. */
async function world(approvals: object) {
  const directory = await temporaryDirectory();
  const plane = await serveEcho(directory, { policy: { profile: "guarded" }, approvals });
  const ann = await plane.as("ann", "--scope", "admin");
  return {
    ...plane,
    ann,
    /** A key that a caller of the API creates. */
    async made(by: Ask, user: string): Promise<Ask> {
      const { status, body } = await by("POST /keys", { name: user, user, scopes });
      assert.equal(status, 201, JSON.stringify(body));
      return askAt(plane.url, String(body.secret));
    },
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

suite("a second person is another person", { concurrency: 2 }, () => {
  test("with four eyes no key that the caller created answers, nor one that such a key created", async () => {
    await using at = await world({ fourEyes: true });
    const bob = await at.made(at.ann, "bob");
    const carol = await at.made(bob, "carol");
    const zoe = await at.as("zoe", "--scope", "admin");
    const id = approvalIn(await at.ann(putRoute, put("k")));
    for (const one of [at.ann, bob, carol]) {
      const { status, body } = await one(`POST /approvals/${id}`, yes);
      assert.equal(status, 403, JSON.stringify(body));
    }
    assert.equal((await zoe(`POST /approvals/${id}`, yes)).status, 200);
  });

  test("a person who created the key of a caller may still answer, and so may others of that creator", async () => {
    await using at = await world({ fourEyes: true });
    const bob = await at.made(at.ann, "bob");
    const carol = await at.made(at.ann, "carol");
    for (const one of [at.ann, carol]) {
      const id = approvalIn(await bob(putRoute, put("k")));
      assert.equal((await one(`POST /approvals/${id}`, yes)).status, 200);
    }
  });

  test("with four eyes Ann, ANN and a full-width ann are one person", async () => {
    await using at = await world({ fourEyes: true });
    const id = approvalIn(await at.ann(putRoute, put("k")));
    for (const name of ["Ann", "ANN", "\uff41nn"]) {
      const one = await at.as(name, "--scope", "admin");
      assert.equal((await one(`POST /approvals/${id}`, yes)).status, 403, name);
    }
  });

  test("a threshold counts neither another spelling nor a key of a person who said yes", async () => {
    await using at = await world({ threshold: 2 });
    const zoe = await at.as("zoe", "--scope", "admin");
    const spelt = await at.as("Zoe", "--scope", "admin");
    const made = await at.made(zoe, "eve");
    const id = approvalIn(await at.ann(putRoute, put("k")));
    const { body } = await zoe(`POST /approvals/${id}`, yes);
    assert.equal((body.approval as { status: string }).status, "pending");
    for (const one of [spelt, made])
      assert.equal((await one(`POST /approvals/${id}`, yes)).status, 409);
    assert.equal((await at.ann(`POST /approvals/${id}`, yes)).status, 200);
  });

  test("a key that is created on the machine names the person at the machine, not the user it is for", async () => {
    await using at = await world({});
    const { body } = await at.ann("GET /keys");
    const [key] = body.keys as { user: string; createdBy: string[] }[];
    assert.equal(key?.user, "ann");
    assert.notDeepEqual(key?.createdBy, ["ann"]);
  });
});
