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
const childOfRoot = { getParentRoute: () => root, errorComponent: PageFailed };

/** A search parameter as a string, if set. The router parses what looks like a number. */
type Search = Record<string, unknown>;
const textParameter = (search: Search, name: string) => {
  const value = search[name];
  if (typeof value === "number" || typeof value === "boolean") return { [name]: String(value) };
  return typeof value === "string" && value !== "" ? { [name]: value } : {};
};

const routes = [
  createRoute({
    ...childOfRoot,
    path: "/",
    validateSearch: (search: Search): { range?: string } => textParameter(search, "range"),
    component: lazyPage(() => import("../pages/overview/overview-page.tsx"), "OverviewPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/servers",
    component: lazyPage(() => import("../pages/servers/servers-page.tsx"), "ServersPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/servers/$name",
    component: lazyPage(() => import("../pages/servers/server-page.tsx"), "ServerPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/clients",
    component: lazyPage(() => import("../pages/clients/clients-page.tsx"), "ClientsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/tools",
    validateSearch: (search: Search): ToolFilter =>
      Object.assign(
        {},
        ...toolFilterNames.map((name) => textParameter(search, name)),
      ) as ToolFilter,
    component: lazyPage(() => import("../pages/tools/tools-page.tsx"), "ToolsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/tools/$name",
    component: lazyPage(() => import("../pages/tools/tool-page.tsx"), "ToolPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/tools/$name/edit",
    component: lazyPage(
      () => import("../pages/tool-editor/tool-editor-page.tsx"),
      "ToolEditorPage",
    ),
  }),
  createRoute({
    ...childOfRoot,
    path: "/context",
    validateSearch: (search: Search): { sort?: string } => textParameter(search, "sort"),
    component: lazyPage(() => import("../pages/context/context-page.tsx"), "ContextPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/definitions",
    component: lazyPage(() => import("../pages/quality/quality-page.tsx"), "QualityPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/try",
    // As a text: parsed, long numbers would lose digits.
    validateSearch: (search: Search): { tool?: string; args?: string } => ({
      ...textParameter(search, "tool"),
      ...textParameter(
        { args: typeof search.args === "object" ? JSON.stringify(search.args) : search.args },
        "args",
      ),
    }),
    component: lazyPage(() => import("../pages/try/try-page.tsx"), "TryPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/chat",
    validateSearch: (search: Search): { id?: string } => textParameter(search, "id"),
    component: lazyPage(() => import("../pages/chat/chat-page.tsx"), "ChatPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/approvals",
    validateSearch: (search: Search): { id?: string; view?: string } => ({
      ...textParameter(search, "id"),
      ...textParameter(search, "view"),
    }),
    component: lazyPage(() => import("../pages/approvals/approvals-page.tsx"), "ApprovalsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/plans",
    component: lazyPage(() => import("../pages/plans/plans-page.tsx"), "PlansPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/plans/$id",
    component: lazyPage(() => import("../pages/plans/plan-page.tsx"), "PlanPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/dead-letters",
    validateSearch: (search: Search): { id?: string; status?: string } => ({
      ...textParameter(search, "id"),
      ...textParameter(search, "status"),
    }),
    component: lazyPage(
      () => import("../pages/dead-letters/dead-letters-page.tsx"),
      "DeadLettersPage",
    ),
  }),
  createRoute({
    ...childOfRoot,
    path: "/calls",
    validateSearch: (search: Search): CallSearch =>
      Object.assign(
        {},
        ...callSearchNames.map((name) => textParameter(search, name)),
      ) as CallSearch,
    component: lazyPage(() => import("../pages/calls/calls-page.tsx"), "CallsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/calls/$id",
    validateSearch: (search: Search): { with?: string } => textParameter(search, "with"),
    component: lazyPage(() => import("../pages/calls/call-page.tsx"), "CallPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/runs/$id",
    component: lazyPage(() => import("../pages/calls/run-page.tsx"), "RunPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/jobs",
    validateSearch: (search: Search): { job?: string } => textParameter(search, "job"),
    component: lazyPage(() => import("../pages/jobs/jobs-page.tsx"), "JobsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/policy",
    validateSearch: (search: Search): { tool?: string; rule?: string } => ({
      ...textParameter(search, "tool"),
      ...textParameter(
        { rule: typeof search.rule === "object" ? JSON.stringify(search.rule) : search.rule },
        "rule",
      ),
    }),
    component: lazyPage(() => import("../pages/policy/policy-page.tsx"), "PolicyPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/toolsets",
    validateSearch: (search: Search): { view?: string } => textParameter(search, "view"),
    component: lazyPage(() => import("../pages/toolsets/toolsets-page.tsx"), "ToolsetsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/toolsets/$name",
    component: lazyPage(() => import("../pages/toolsets/toolset-page.tsx"), "ToolsetPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/users",
    validateSearch: (search: Search): { view?: string; user?: string } => ({
      ...textParameter(search, "view"),
      ...textParameter(search, "user"),
    }),
    component: lazyPage(() => import("../pages/users/users-page.tsx"), "UsersPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/skills",
    component: lazyPage(() => import("../pages/skills/skills-page.tsx"), "SkillsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/extensions",
    component: lazyPage(() => import("../pages/extensions/extensions-page.tsx"), "ExtensionsPage"),
  }),
  createRoute({
    ...childOfRoot,
    path: "/settings",
    validateSearch: (search: Search): { view?: string } => textParameter(search, "view"),
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
