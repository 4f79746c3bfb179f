import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { Principal } from "../../model/principal.ts";
import { operations } from "../../operations/operations.ts";
import { parseBody } from "./body.ts";
import { type Identities, identify, principalOf } from "./identity.ts";
import type { LocalPass } from "./local-pass.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { addOperation, type Renderer } from "./operation-routes.ts";
import { checkOrigin } from "./origin.ts";
import { renderOutcome, renderProblem, renderSkillRun } from "./render.ts";
import { type App, addRoute, type HttpEnv } from "./route.ts";
import { addAgentRoutes } from "./routes/agent-routes.ts";
import { addConfigurationRoutes, type ServerEditor } from "./routes/configuration-routes.ts";
import { addDocumentRoutes } from "./routes/document-routes.ts";
import { addEntryRoutes } from "./routes/entry-routes.ts";
import { addEventRoutes } from "./routes/event-routes.ts";
import { addOperationRoutes } from "./routes/operation-routes.ts";
import { addRunRoutes } from "./routes/run-routes.ts";
import { addSearchRoutes } from "./routes/search-routes.ts";
import { addServerRoutes } from "./routes/server-routes.ts";
import { addSessionRoutes, sessionPath } from "./routes/session-routes.ts";
import { addDoctorRoutes, addSetupRoutes, type SetupReader } from "./routes/setup-routes.ts";
import { addToolRoutes } from "./routes/tool-routes.ts";
import { createSessions } from "./sessions.ts";

const params = { name: "The tool's name, with its server." };
const object = z.record(z.string(), z.unknown());

const Definition = z.object({
  description: z.string(),
  parameters: object,
  tokens: z.number().int(),
});

const OverlayView = z
  .object({
    tool: z.string(),
    source: z
      .enum(["stored", "config"])
      .nullable()
      .meta({ description: "Where it comes from; null where there is none." }),
    overlay: object.meta({
      description: "As `PUT /tools/{name}` takes it. Fixed values are `«hidden»`; given back so, they stay.",
    }),
    listed: Definition.meta({ description: "What a model would see without it." }),
    seen: Definition.meta({ description: "What a model sees with it." }),
    tokenizer: z.string(),
    warnings: z.array(z.string()),
  })
  .meta({ id: "OverlayView" });

/** What is said here about a tool of a server, and what would come of saying something else. */
function addOverlayRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}/overlay", tag: "Tools", scope: "admin", params },
      summary: "What is said about a tool of a server, and what a model sees of it",
      answers: { 200: { description: "The overlay in force.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => c.json(await plane.tools.overlay(param("name"), caller)),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/overlay/preview", tag: "Tools", scope: "admin", params },
      summary: "What a model would see of a tool under another overlay; nothing is changed",
      body: {
        schema: object,
        description: "The overlay.",
        example: { arguments: [{ name: "name", description: "Whom to greet", default: "world" }] },
      },
      answers: { 200: { description: "What would come of it.", schema: OverlayView } },
    },
    async ({ c, caller, param }) => {
      const overlay = parseBody(await c.req.text(), '{"description": "…", "arguments": […]}');
      return c.json(await plane.tools.previewOverlay(param("name"), overlay, caller));
    },
  );
}

const callbackPath = "/oauth/callback";
/** A bound on open sign-ins; the oldest are dropped. */
const maxOpen = 1_000;

/** Signing in with a browser. The way back brings no credential, only the state that we gave it. */
function addSignInRoutes(app: App, identities: Identities): void {
  const { plane } = identities;
  const open = new Map<string, Principal>();
  addRoute(
    app,
    {
      ...{ method: "post", path: "/servers/{name}/sign-in", tag: "Sign-in", scope: "call" },
      params: { name: "The server's name in the configuration." },
      summary: "Begin to sign in to a server",
      answers: {
        200: { description: "Where the caller's browser has to go.", schema: z.object({ url: z.string() }) },
      },
    },
    async ({ c, caller, param }) => {
      await plane.servers.get(param("name"), caller);
      const redirectUri = new URL(callbackPath, c.req.url).href;
      const { url, state } = await plane.tokens.beginSignIn(param("name"), redirectUri, caller);
      for (const oldest of open.size < maxOpen ? [] : [...open.keys()].slice(0, 1)) open.delete(oldest);
      open.set(state, caller.principal);
      return c.json({ url });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: callbackPath, tag: "Sign-in", scope: null },
      summary: "Where the browser comes back to",
      description: "The state of a sign-in that was begun here identifies its caller.",
      describedQuery: z.object({
        state: z.string(),
        code: z.string().optional(),
        error: z.string().optional(),
      }),
      answers: { 200: { description: "Signed in.", type: "text/plain" } },
    },
    async ({ c }) => {
      const parameters = new URL(c.req.url).searchParams;
      const state = parameters.get("state") ?? "";
      const principal = open.get(state) ?? (await principalOf(identities, c));
      open.delete(state);
      const { server } = await plane.tokens.finishSignIn(parameters, { principal, face: "http" });
      return c.text(`Signed in to '${server}'. You can close this window.`);
    },
  );
}

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
      return renderProblem(new PlaneError("PAYLOAD_TOO_LARGE", message));
    },
  });
}

/** A client that is still sending when the connection closes sees a broken connection and not the answer. */
async function discard(body: ReadableStream<Uint8Array>): Promise<void> {
  let seen = 0;
  try {
    for await (const piece of body) {
      seen += piece.byteLength;
      if (seen > discardedBytes) return;
    }
  } catch {
    // It went away by itself.
  }
}

export type AppOptions = {
  host: string;
  /** Names that it is reached by beside that. */
  allowHosts?: readonly string[];
  closing: AbortSignal;
  /** Writes servers into the configuration; without it they can only be looked at. */
  setup?: ServerEditor & SetupReader;
  /** What the person has who started the plane. */
  pass?: LocalPass;
  /** What was counted so far; without it counting begins now. */
  metrics?: Metrics;
};

/** Operations whose status depends on how the call went. */
const renderers: Record<string, Renderer> = { "deadLetters.retry": renderOutcome, "skills.run": renderSkillRun };

export function createApp(plane: Plane, options: AppOptions): App {
  const { host, allowHosts, closing, setup, pass, metrics = createMetrics(plane) } = options;
  const app: App = Object.assign(new Hono<HttpEnv>(), { routesDescribed: [] });
  const identities = { plane, sessions: createSessions(), pass: pass ?? null };
  app.use(checkOrigin(host, allowHosts));
  app.use(limitBody());
  app.use(identify(identities, [callbackPath, sessionPath]));
  app.onError((error) => renderProblem(error));
  app.notFound(({ req }) => renderProblem(new PlaneError("NOT_FOUND", `No route ${req.method} ${req.path}.`)));

  for (const declared of operations) addOperation(app, plane, declared, renderers[declared.name]);
  addToolRoutes(app, plane);
  addOverlayRoutes(app, plane);
  addSearchRoutes(app, plane);
  addEntryRoutes(app, plane);
  addServerRoutes(app, identities, closing);
  addDoctorRoutes(app, plane);
  if (setup) addConfigurationRoutes(app, plane, setup);
  if (setup) addSetupRoutes(app, plane, setup);
  addAgentRoutes(app, plane, closing);
  addRunRoutes(app, plane);
  addSignInRoutes(app, identities);
  addSessionRoutes(app, identities, setup !== undefined);
  addEventRoutes(app, identities, closing);
  addOperationRoutes(app, plane, closing, metrics);
  addDocumentRoutes(app);
  return app;
}
