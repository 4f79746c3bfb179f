import { OpenAPIHono } from "@hono/zod-openapi";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import { identify } from "./identity.ts";
import { limitBody } from "./limit-body.ts";
import type { LocalPass } from "./local-pass.ts";
import { createMetrics, type Metrics } from "./metrics/metrics.ts";
import { checkOrigin } from "./origin.ts";
import { renderProblem } from "./render.ts";
import type { App, HttpEnv } from "./route.ts";
import { addAgentRoutes } from "./routes/agent-routes.ts";
import { addApprovalRoutes } from "./routes/approval-routes.ts";
import { addCallRoutes } from "./routes/call-routes.ts";
import { addChangeRoutes } from "./routes/change-routes.ts";
import { addConfigurationRoutes, type ServerEditor } from "./routes/configuration-routes.ts";
import { addDeadLetterRoutes } from "./routes/dead-letter-routes.ts";
import { addDocumentRoutes } from "./routes/document-routes.ts";
import { addEntryRoutes } from "./routes/entry-routes.ts";
import { addEventRoutes } from "./routes/event-routes.ts";
import { addJobRoutes } from "./routes/job-routes.ts";
import { addKeyRoutes } from "./routes/key-routes.ts";
import { addOfferRoutes } from "./routes/offer-routes.ts";
import { addOperationRoutes } from "./routes/operation-routes.ts";
import { addOverlayRoutes } from "./routes/overlay-routes.ts";
import { addPlanRoutes } from "./routes/plan-routes.ts";
import { addPolicyRoutes } from "./routes/policy-routes.ts";
import { addQualityRoutes } from "./routes/quality-routes.ts";
import { addQuestionRoutes } from "./routes/question-routes.ts";
import { addRegistryRoutes } from "./routes/registry-routes.ts";
import { addResultRoutes } from "./routes/result-routes.ts";
import { addRunRoutes } from "./routes/run-routes.ts";
import { addSearchRoutes } from "./routes/search-routes.ts";
import { addServerRoutes } from "./routes/server-routes.ts";
import { addSessionRoutes, sessionPath } from "./routes/session-routes.ts";
import { addDoctorRoutes, addSetupRoutes, type SetupReader } from "./routes/setup-routes.ts";
import { addSignInRoutes, callbackPath } from "./routes/sign-in-routes.ts";
import { addSkillRoutes } from "./routes/skill-routes.ts";
import { addSkillRunRoute } from "./routes/skill-run-route.ts";
import { addTokenRoutes } from "./routes/token-routes.ts";
import { addToolRoutes } from "./routes/tool-routes.ts";
import { createSessions } from "./sessions.ts";

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

export function createApp(plane: Plane, options: AppOptions): App {
  const { host, allowHosts, closing, setup, pass, metrics = createMetrics(plane) } = options;
  const app: App = new OpenAPIHono<HttpEnv>();
  const identities = { plane, sessions: createSessions(), pass: pass ?? null };
  app.use(checkOrigin(host, allowHosts));
  app.use(limitBody());
  app.use(identify(identities, [callbackPath, sessionPath]));
  app.onError((error) => renderProblem(error));
  app.notFound(({ req }) =>
    renderProblem(new PlaneError("NOT_FOUND", `No route ${req.method} ${req.path}.`)),
  );

  addChangeRoutes(app, plane);
  addQualityRoutes(app, plane);
  addToolRoutes(app, plane);
  addOverlayRoutes(app, plane);
  addSearchRoutes(app, plane);
  addEntryRoutes(app, plane);
  addServerRoutes(app, identities, closing);
  addOfferRoutes(app, plane);
  addDoctorRoutes(app, plane);
  if (setup) addConfigurationRoutes(app, plane, setup);
  if (setup) addSetupRoutes(app, plane, setup);
  addPolicyRoutes(app, plane);
  addAgentRoutes(app, plane, closing);
  addCallRoutes(app, plane);
  addResultRoutes(app, plane);
  addRunRoutes(app, plane);
  addApprovalRoutes(app, plane);
  addPlanRoutes(app, plane);
  addDeadLetterRoutes(app, plane);
  addRegistryRoutes(app, plane);
  addSkillRoutes(app, plane);
  addSkillRunRoute(app, plane);
  addJobRoutes(app, plane);
  addQuestionRoutes(app, plane);
  addTokenRoutes(app, plane);
  addSignInRoutes(app, identities);
  addSessionRoutes(app, identities, setup !== undefined);
  addKeyRoutes(app, plane);
  addEventRoutes(app, identities, closing);
  addOperationRoutes(app, plane, closing, metrics);
  addDocumentRoutes(app);
  return app;
}
