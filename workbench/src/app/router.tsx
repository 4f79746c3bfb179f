import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { type ToolFilter, toolFilterNames } from "../api/tool-queries.ts";
import { type CallSearch, callSearchNames } from "./call-search.ts";
import { NotFound, PageFailed } from "./fallback-pages.tsx";
import { lazyPage } from "./lazy-page.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: PageFailed,
});
const under = { getParentRoute: () => root, errorComponent: PageFailed };

/** A search parameter as a string, if set. The router parses what looks like a number. */
type Search = Record<string, unknown>;
const text = (search: Search, name: string) => {
  const value = search[name];
  const said = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof said === "string" && said !== "" ? { [name]: said } : {};
};

const routes = [
  createRoute({
    ...under,
    path: "/",
    validateSearch: (search: Search): { range?: string } => text(search, "range"),
    component: lazyPage(() => import("../pages/overview/overview-page.tsx"), "OverviewPage"),
  }),
  createRoute({
    ...under,
    path: "/servers",
    component: lazyPage(() => import("../pages/servers/servers-page.tsx"), "ServersPage"),
  }),
  createRoute({
    ...under,
    path: "/servers/$name",
    component: lazyPage(() => import("../pages/servers/server-page.tsx"), "ServerPage"),
  }),
  createRoute({
    ...under,
    path: "/clients",
    component: lazyPage(() => import("../pages/clients/clients-page.tsx"), "ClientsPage"),
  }),
  createRoute({
    ...under,
    path: "/tools",
    validateSearch: (search: Search): ToolFilter =>
      Object.assign({}, ...toolFilterNames.map((name) => text(search, name))) as ToolFilter,
    component: lazyPage(() => import("../pages/tools/tools-page.tsx"), "ToolsPage"),
  }),
  createRoute({
    ...under,
    path: "/tools/$name",
    component: lazyPage(() => import("../pages/tools/tool-page.tsx"), "ToolPage"),
  }),
  createRoute({
    ...under,
    path: "/tools/$name/edit",
    component: lazyPage(
      () => import("../pages/tool-editor/tool-editor-page.tsx"),
      "ToolEditorPage",
    ),
  }),
  createRoute({
    ...under,
    path: "/context",
    validateSearch: (search: Search): { sort?: string } => text(search, "sort"),
    component: lazyPage(() => import("../pages/context/context-page.tsx"), "ContextPage"),
  }),
  createRoute({
    ...under,
    path: "/definitions",
    component: lazyPage(() => import("../pages/quality/quality-page.tsx"), "QualityPage"),
  }),
  createRoute({
    ...under,
    path: "/try",
    // As a text: parsed, long numbers would lose digits.
    validateSearch: (search: Search): { tool?: string; args?: string } => ({
      ...text(search, "tool"),
      ...text(
        { args: typeof search.args === "object" ? JSON.stringify(search.args) : search.args },
        "args",
      ),
    }),
    component: lazyPage(() => import("../pages/try/try-page.tsx"), "TryPage"),
  }),
  createRoute({
    ...under,
    path: "/chat",
    validateSearch: (search: Search): { id?: string } => text(search, "id"),
    component: lazyPage(() => import("../pages/chat/chat-page.tsx"), "ChatPage"),
  }),
  createRoute({
    ...under,
    path: "/approvals",
    validateSearch: (search: Search): { id?: string; view?: string } => ({
      ...text(search, "id"),
      ...text(search, "view"),
    }),
    component: lazyPage(() => import("../pages/approvals/approvals-page.tsx"), "ApprovalsPage"),
  }),
  createRoute({
    ...under,
    path: "/plans",
    component: lazyPage(() => import("../pages/plans/plans-page.tsx"), "PlansPage"),
  }),
  createRoute({
    ...under,
    path: "/plans/$id",
    component: lazyPage(() => import("../pages/plans/plan-page.tsx"), "PlanPage"),
  }),
  createRoute({
    ...under,
    path: "/dead-letters",
    validateSearch: (search: Search): { id?: string; status?: string } => ({
      ...text(search, "id"),
      ...text(search, "status"),
    }),
    component: lazyPage(
      () => import("../pages/dead-letters/dead-letters-page.tsx"),
      "DeadLettersPage",
    ),
  }),
  createRoute({
    ...under,
    path: "/calls",
    validateSearch: (search: Search): CallSearch =>
      Object.assign({}, ...callSearchNames.map((name) => text(search, name))) as CallSearch,
    component: lazyPage(() => import("../pages/calls/calls-page.tsx"), "CallsPage"),
  }),
  createRoute({
    ...under,
    path: "/calls/$id",
    validateSearch: (search: Search): { with?: string } => text(search, "with"),
    component: lazyPage(() => import("../pages/calls/call-page.tsx"), "CallPage"),
  }),
  createRoute({
    ...under,
    path: "/runs/$id",
    component: lazyPage(() => import("../pages/calls/run-page.tsx"), "RunPage"),
  }),
  createRoute({
    ...under,
    path: "/jobs",
    validateSearch: (search: Search): { job?: string } => text(search, "job"),
    component: lazyPage(() => import("../pages/jobs/jobs-page.tsx"), "JobsPage"),
  }),
  createRoute({
    ...under,
    path: "/policy",
    validateSearch: (search: Search): { tool?: string; rule?: string } => ({
      ...text(search, "tool"),
      ...text(
        { rule: typeof search.rule === "object" ? JSON.stringify(search.rule) : search.rule },
        "rule",
      ),
    }),
    component: lazyPage(() => import("../pages/policy/policy-page.tsx"), "PolicyPage"),
  }),
  createRoute({
    ...under,
    path: "/toolsets",
    validateSearch: (search: Search): { view?: string } => text(search, "view"),
    component: lazyPage(() => import("../pages/toolsets/toolsets-page.tsx"), "ToolsetsPage"),
  }),
  createRoute({
    ...under,
    path: "/toolsets/$name",
    component: lazyPage(() => import("../pages/toolsets/toolset-page.tsx"), "ToolsetPage"),
  }),
  createRoute({
    ...under,
    path: "/users",
    validateSearch: (search: Search): { view?: string; user?: string } => ({
      ...text(search, "view"),
      ...text(search, "user"),
    }),
    component: lazyPage(() => import("../pages/users/users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    ...under,
    path: "/skills",
    component: lazyPage(() => import("../pages/skills/skills-page.tsx"), "SkillsPage"),
  }),
  createRoute({
    ...under,
    path: "/extensions",
    component: lazyPage(() => import("../pages/extensions/extensions-page.tsx"), "ExtensionsPage"),
  }),
  createRoute({
    ...under,
    path: "/settings",
    validateSearch: (search: Search): { view?: string } => text(search, "view"),
    component: lazyPage(() => import("../pages/settings/settings-page.tsx"), "SettingsPage"),
  }),
] as const;

export const router = createRouter({
  routeTree: root.addChildren(routes),
  basepath: "/workbench",
  defaultPreload: "intent",
  scrollRestoration: true,
  scrollToTopSelectors: ["#content"],
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
