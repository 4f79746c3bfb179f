import { createHash, randomBytes } from "node:crypto";
import { pageHeader } from "@toolplane/core/model/access/page-proof";
import type { SignInDesk, SignInPorts } from "@toolplane/core/model/access/sign-in";
import type { Provider } from "oidc-provider";
import { pagesClient } from "./client-view.ts";
import { currentSession, isPageOf } from "./page-proof.ts";
import { accessPage, accessView, accountPage, messagePage } from "./pages.ts";
import { personOf } from "./people.ts";
import { pagesReturn } from "./provider.ts";
import { readForm, redirect, type Step, sendJson, sendPage, type Visit } from "./visit.ts";

/** The pages of a person who is signed in: what clients may do, the browsers, and the way to the workbench. */
export function accessSteps(
  { origin, rows, record }: SignInPorts,
  desk: SignInDesk,
): readonly [string, Step][] {
  /** Whose page it is that sends its secret; nobody where the cookie is all there is. */
  const provenSession = async (visit: Visit, library: Provider, secret: unknown) => {
    const session = await currentSession(visit, library);
    const person = isPageOf(session, secret) ? await personOf(rows, session) : null;
    return { uid: session.uid, acr: session.acr, accountId: person?.user };
  };
  const access: Step = async (visit) => sendPage(visit, accessPage());
  const accessShown: Step = async (visit, library) => {
    const session = await provenSession(visit, library, visit.request.headers[pageHeader]);
    if (session.accountId === undefined) return sendJson(visit, 401, { next: ownSignIn() });
    const sessions = await rows.list<{ uid?: string; acr?: string }>("Session", {
      account: session.accountId,
    });
    const browserSessions = sessions
      .filter(({ value }) => value.acr === session.acr)
      .map(({ value, madeAt, usedAt }) => ({
        id: String(value.uid),
        signedInAt: new Date(madeAt).toISOString(),
        usedAt: usedAt === null ? null : new Date(usedAt).toISOString(),
        isCurrent: value.uid === session.uid,
      }));
    sendPage(
      visit,
      accessView(session.accountId, await desk.grants(session.accountId), browserSessions),
    );
  };
  /** The pages sign a person in as a client would; the code is not needed. */
  const ownSignIn = (state = "") => {
    const url = new URL("/oauth/authorize", origin);
    const challenge = createHash("sha256")
      .update(randomBytes(32).toString("base64url"))
      .digest("base64url");
    const parameters = {
      client_id: pagesClient,
      redirect_uri: origin + pagesReturn,
      response_type: "code",
      scope: "openid",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state,
    };
    for (const [name, parameter] of Object.entries(parameters))
      if (parameter !== "") url.searchParams.set(name, parameter);
    return url.pathname + url.search;
  };
  const accessBack: Step = async (visit) => {
    const { searchParams } = new URL(visit.request.url ?? "", origin);
    const state = searchParams.get("state");
    // To ask again would give no one who cancels a way out.
    if (searchParams.has("error"))
      return sendPage(
        visit,
        messagePage("You are not signed in", "Nothing was changed. Close this window."),
      );
    redirect(visit, state !== null && isOwnPath(state) ? state : "/sign-in/access");
  };
  const account: Step = async (visit, _library, [server = ""]) =>
    sendPage(visit, accountPage(server));
  const workbench: Step = async (visit) => {
    const to = new URL(visit.request.url ?? "", origin).searchParams.get("to") ?? "";
    // Also where the browser is signed in already: its page may have lost what proves it.
    redirect(visit, ownSignIn(isOwnPath(to) ? to : "/workbench/"));
  };
  const signedInAgain: Step = async (visit) =>
    sendPage(
      visit,
      messagePage("You are signed in", "Go back to the workbench in the other tab.", "good"),
    );
  const revoke: Step = async (visit, library) => {
    const form = await readForm(visit);
    const { accountId } = await provenSession(visit, library, form.get("page"));
    if (accountId === undefined) return redirect(visit, ownSignIn());
    const id = form.get("grant") ?? "";
    if ((await desk.grants(accountId)).some((grant) => grant.id === id)) {
      await desk.revokeGrant(id);
      await record({
        operation: "grants.revoke",
        target: id,
        user: accountId,
        address: visit.address,
      });
    }
    redirect(visit, "/sign-in/access");
  };
  const endSession: Step = async (visit, library) => {
    const form = await readForm(visit);
    const { accountId } = await provenSession(visit, library, form.get("page"));
    if (accountId === undefined) return redirect(visit, ownSignIn());
    const uid = form.get("session") ?? "";
    const session = (await rows.list<{ uid?: string }>("Session", { account: accountId })).find(
      ({ value }) => value.uid === uid,
    );
    if (session !== undefined) await rows.remove("Session", session.id);
    await record({
      operation: "signIn.logout",
      target: accountId,
      user: accountId,
      address: visit.address,
    });
    sendPage(
      visit,
      messagePage(
        "Signed out",
        "That browser is signed out. Clients go on until you take back what they may do.",
      ),
    );
  };

  return [
    ["GET again", signedInAgain],
    ["GET workbench", workbench],
    ["GET account/*", account],
    ["GET access", access],
    ["POST access/shown", accessShown],
    ["GET access/back", accessBack],
    ["POST access/revoke", revoke],
    ["POST access/end", endSession],
  ];
}

/** Places of ours that a person may be sent to after signing in; nothing in them leads elsewhere. */
const isOwnPath = (path: string) =>
  path === "/sign-in/again" || /^\/(?:workbench|account)\/[\w\-./?=&%]*$/.test(path);
