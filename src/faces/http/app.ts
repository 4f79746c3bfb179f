import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { leftOutWith } from "#bundled/left-out";
import { PlaneError } from "../../model/errors.ts";
import type { ExtensionVerb } from "../../model/extensions/extension-schema.ts";
import type { Plane } from "../../model/plane.ts";
import type { ConfigFiles } from "../../operations/operation.ts";
import { operations } from "../../operations/operations.ts";
import { addExtensionRoute } from "./added-routes.ts";
import { identify } from "./callers/identity.ts";
import type { LocalPass } from "./callers/local-pass.ts";
import { challengeOf, createSignInPlaces } from "./callers/protected-resource.ts";
import { addSessionRoutes, sessionPath } from "./callers/session-routes.ts";
import { createBrowserSessions } from "./callers/sessions.ts";
import { accountPath, addSignInRoutes, callbackPath } from "./callers/sign-in-routes.ts";
import { limitHeldOpen } from "./held-open.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { addOperation } from "./operation-routes.ts";
import {
  checkOrigin,
  createOwnAddress,
  createPublicAddress,
  type PublicAddress,
} from "./origin.ts";
import { ownAnswers } from "./own-answers.ts";
import { addProbeRoutes } from "./probe-routes.ts";
import { problemResponse } from "./render.ts";
import type { App, HttpEnv } from "./route.ts";

const limitBytes = 4 * 1024 * 1024;
/** Beyond this the connection is cut. */
const discardedBytes = 32 * 1024 * 1024;

/** Refuses bodies that are too large, in a way that the client can read. */
function limitBody(): MiddlewareHandler {
  return bodyLimit({
    maxSize: limitBytes,
    async onError({ req: { raw } }) {
      if (raw.body && !raw.body.locked) await discard(raw.body);
      const message = `The body is larger than ${limitBytes / 1024 / 1024} MiB.`;
      return problemResponse(new PlaneError("PAYLOAD_TOO_LARGE", message));
    },
  });
}

/** A client that is still sending when the connection closes sees a broken connection and not the answer. */
async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  let readBytes = 0;
  try {
    for await (const piece of body) {
      readBytes += piece.byteLength;
      if (readBytes > discardedBytes) return;
    }
  } catch {
    // It went away by itself.
  }
}

export type AppOptions = {
  host: string;
  /** Names that it is reached by beside that. */
  allowHosts?: readonly string[];
  /** Where it listens, once it does. */
  port?(): number;
  /** Where clients know it to be; by default where they ask. */
  address?: PublicAddress;
  closing: AbortSignal;
  /** Writes servers into the configuration; without it they can only be looked at. */
  setup?: ConfigFiles;
  /** What the person has who started the plane. */
  pass?: LocalPass;
  /** What extensions have added. */
  added?: readonly ExtensionVerb[];
  /** What was counted so far; without it counting begins now. */
  metrics?: Metrics;
};

export function createApp(plane: Plane, options: AppOptions): App {
  const {
    host,
    allowHosts = [],
    port = () => 0,
    closing,
    setup,
    pass,
    added = [],
    metrics = createMetrics(plane),
  } = options;
  const app: App = Object.assign(new Hono<HttpEnv>(), { routesDescribed: [] });
  const { address = createPublicAddress(() => plane.config().auth.publicUrl, false) } = options;
  const places = createSignInPlaces(plane, address);
  const identities = {
    plane,
    sessions: createBrowserSessions(plane.identity.browsers),
    pass: pass ?? null,
    address,
  };
  app.use(checkOrigin(host, allowHosts, [callbackPath, accountPath]));
  app.use(limitBody());
  app.use(identify(identities, [callbackPath, accountPath, sessionPath]));
  app.use(limitHeldOpen(() => plane.config().quotas.maxHeldOpen));
  app.onError((error, c) =>
    problemResponse(error, challengeOf(error, places(c.req.header("host")), c.get("principal"))),
  );
  app.notFound(({ req: { method, path } }) =>
    problemResponse(
      leftOutWith(path.split("/")[1] ?? "") ??
        new PlaneError("NOT_FOUND", `No route ${method} ${path}.`),
    ),
  );

  const additions = ownAnswers(identities, closing);
  for (const operation of operations)
    addOperation(app, plane, operation, setup ?? null, additions[operation.name]);
  for (const verb of added) addExtensionRoute(app, plane, verb);
  const ownAddress = createOwnAddress(host, allowHosts, port);
  addSignInRoutes(app, identities, (requestHost) => {
    if (plane.config().auth.publicUrl !== undefined) return address(requestHost);
    return ownAddress(requestHost);
  });
  addSessionRoutes(app, identities, setup !== undefined);
  addProbeRoutes(app, plane, closing, metrics);
  return app;
}
