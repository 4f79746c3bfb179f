import type { GrantView } from "@toolplane/core/model/access/sign-in-schema";
import { passwordLength } from "./people.ts";

/** Text that is escaped already. */
type Html = { html: string };

/** Every value in the template is escaped, unless it is such text itself. */
export function html(
  parts: TemplateStringsArray,
  ...values: (Html | string | number | readonly Html[])[]
): Html {
  const escapedValues = values.map((value) => {
    if (Array.isArray(value)) return value.map((fragment: Html) => fragment.html).join("");
    return typeof value === "object" ? (value as Html).html : escaped(String(value));
  });
  return {
    html: parts.reduce((text, part, index) => text + (escapedValues[index - 1] ?? "") + part),
  };
}

const nothing: Html = { html: "" };
const when = (isShown: boolean, shown: Html): Html => (isShown ? shown : nothing);

function escaped(text: string): string {
  const names: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replaceAll(/[&<>"']/g, (character) => names[character] ?? "");
}

export function page(title: string, body: Html, { isWide = false } = {}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – Toolplane</title>
<link rel="icon" type="image/svg+xml" href="/sign-in/icon.svg">
<link rel="stylesheet" href="/sign-in/style.css">
<script src="/sign-in/page.js" defer></script>
</head>
<body><main${when(isWide, html` class="wide"`)}>
<header><img src="/sign-in/icon.svg" alt=""> Toolplane</header>
${body}
</main></body>
</html>`.html;
}

/** Filled by the script of the page with what only the page has. */
const pageField = html`<input type="hidden" name="page">`;

const problemNote = (problem: string | null) =>
  problem === null ? nothing : html`<p class="note bad" role="alert">${problem}</p>`;
const passkeyProblem = html`<p class="note bad" id="passkey-problem" role="alert" hidden></p>`;

export type SignInView = {
  uid: string;
  client: GrantView["client"];
  /** Its name, where people sign in at a provider. */
  provider: string | null;
  hasLocal: boolean;
  /** May the page prove that its browser is signed in already? */
  isProvable: boolean;
  user?: string;
  problem: string | null;
};

export function signInPage({
  uid,
  client,
  provider,
  hasLocal,
  isProvable,
  user = "",
  problem,
}: SignInView): string {
  const clientName = client.verified
    ? html`${client.name}`
    : html`a client that calls itself “${client.name}”`;
  const providerLink =
    provider === null
      ? nothing
      : html`<a class="button main" href="/sign-in/${uid}/provider">Sign in at ${provider}</a>`;
  const localForms = html`
<form data-passkey="/sign-in/${uid}/passkey" data-kind="use">${passkeyProblem}<button class="main">Use a passkey</button></form>
<hr>
<form method="post" action="/sign-in/${uid}/password">${pageField}
<label>Name or e-mail<input name="user" autocomplete="username webauthn" value="${user}" required></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required></label>
<button>Sign in with a password</button>
</form>`;
  return page(
    "Sign in",
    html`<div ${when(isProvable, html`data-prove="/sign-in/${uid}/proof"`)}>
<h1>Sign in</h1>
<p class="muted">to go on to ${clientName}</p>
${problemNote(problem)}
${providerLink}
${when(provider !== null && hasLocal, html`<hr>`)}
${when(hasLocal, localForms)}
<form method="post" action="/sign-in/${uid}/cancel"><button>Cancel</button></form>
</div>`,
  );
}

export type ConsentView = {
  uid: string;
  user: string;
  client: GrantView["client"];
  redirect: string;
  /** Can any program of the person's device say that it is this client? */
  isShared: boolean;
  scopes: readonly Choice[];
  /** Asked for, and not this person's to give. */
  refused: readonly string[];
  /** Null where the scopes name the servers. */
  servers: readonly Choice[] | null;
  /** Can the client renew its sign-in by itself? */
  goesOn: boolean;
  policy: string;
  resource: string;
  problem: string | null;
};

type Choice = { name: string; isOn: boolean };

const scopeDescriptions: Readonly<Record<string, string>> = {
  read: "see your tools and what they take",
  call: "see your tools and call them in your name",
  admin: "manage this plane: servers, keys, people and rules, and read every record",
};

function describeScope(scope: string): string {
  const [kind, name = ""] = scope.split(/:(.*)/s);
  if (kind === "server") return `use no other server than ${name}`;
  if (kind === "toolset") return `use no other tools than those of ${name}`;
  return scopeDescriptions[scope] ?? scope;
}

function choice(field: string, { name, isOn }: Choice, label: Html): Html {
  return html`<label class="choice"><input type="checkbox" name="${field}.${name}" ${when(isOn, html`checked`)}><span>${label}</span></label>`;
}

function serverChoices(servers: readonly Choice[], includesAdmin: boolean): Html {
  if (servers.length === 0)
    return html`<h2>On which servers</h2><p>None is set up for you yet.</p>`;
  const choices = servers.map((server) => choice("server", server, html`${server.name}`));
  const adminNote = html`<p class="muted">It manages the plane only with all of them.</p>`;
  return html`<fieldset class="grid"><legend>On which servers</legend>${choices}</fieldset>${when(includesAdmin, adminNote)}`;
}

export function consentPage(view: ConsentView): string {
  const {
    uid,
    user,
    client,
    redirect,
    isShared,
    scopes,
    refused,
    servers,
    goesOn,
    policy,
    resource,
    problem,
  } = view;
  const unverifiedWarning = html`<p class="note warn"><strong>Not verified.</strong> Any program can call itself “${client.name}”. Go on only if you have just connected it yourself.</p>`;
  const sharedWarning = html`<p class="note warn">Any program on your device can say that it is “${client.name}”. Go on only if you have just connected it yourself.</p>`;
  const scopeChoices = scopes.map((scope) =>
    choice("scope", scope, html`${describeScope(scope.name)} <code>${scope.name}</code>`),
  );
  const includesAdmin = scopes.some(({ name }) => name === "admin");
  const serverSection = servers === null ? nothing : serverChoices(servers, includesAdmin);
  return page(
    "Allow",
    html`<h1>${client.name} wants to use your tools</h1>
<p class="muted">You are signed in as ${user}.</p>
${problemNote(problem)}
${when(!client.verified, unverifiedWarning)}
${when(isShared, sharedWarning)}
<dl>
<dt>Client</dt><dd>${client.name}</dd>
<dt>Its address</dt><dd>${client.address === null ? "none given" : html`<code>${client.address}</code>`}${when(!client.verified, html` (not verified)`)}</dd>
<dt>Goes back to</dt><dd><code>${redirect}</code></dd>
<dt>For</dt><dd><code>${resource}</code></dd>
</dl>
<form method="post" action="/sign-in/${uid}/consent">${pageField}
<fieldset><legend>It may</legend>${scopeChoices}</fieldset>
${when(refused.length > 0, html`<p class="note warn">It also asked for ${refused.join(", ")}, which is not yours to give.</p>`)}
${serverSection}
<h2>What is asked first</h2>
<p>${policy}</p>
${when(goesOn, html`<p>It goes on without you until you take this back.</p>`)}
<div class="row"><button formaction="/sign-in/${uid}/cancel">Deny</button><button class="main">Allow</button></div>
</form>
<p class="muted">You can take this back at any time at <a href="/sign-in/access">what clients may do</a>.</p>`,
  );
}

export function invitationPage(token: string, user: string, problem: string | null): string {
  return page(
    "Welcome",
    html`<h1>Welcome, ${user}</h1>
<p>Choose how you sign in from now on. A passkey is safer and quicker: your device or password manager keeps it.</p>
${problemNote(problem)}
<form data-passkey="/sign-in/invite/${token}/passkey" data-kind="create">${passkeyProblem}<button class="main">Create a passkey</button></form>
<hr>
<form method="post" action="/sign-in/invite/${token}/password">
<input name="user" autocomplete="username" value="${user}" hidden>
<label>Or a password of at least ${passwordLength.min} characters<input name="password" type="password" autocomplete="new-password" minlength="${passwordLength.min}" maxlength="${passwordLength.max}" required></label>
<button>Set the password</button>
</form>`,
  );
}

export function messagePage(
  title: string,
  text: string,
  kind: "good" | "bad" | "plain" = "plain",
): string {
  const note = kind === "plain" ? html`<p>${text}</p>` : html`<p class="note ${kind}">${text}</p>`;
  return page(title, html`<h1>${title}</h1>${note}`);
}

/** What went wrong, and where the client is, which the person may go back to. */
export function refusalPage(text: string, href: string, address: string): string {
  return page(
    "This did not work",
    html`<h1>This did not work</h1>
<p class="note bad">${text}</p>
<p>The client that sent you here is not verified. It is at <code>${address}</code>.</p>
<p><a class="button" rel="noreferrer" href="${href}">Go back to it</a></p>`,
  );
}

export type SessionView = {
  id: string;
  signedInAt: string;
  usedAt: string | null;
  isCurrent: boolean;
};

const needsScript = html`<noscript>This page needs scripts: they prove that it is yours.</noscript>`;

/** The page of the person, which shows its proof before it gets what is in it. */
export function accessPage(): string {
  const body = html`<div data-shown="/sign-in/access/shown">${needsScript}</div>`;
  return page("What clients may do", body, { isWide: true });
}

/** Leads on to the sign-in of a server behind the plane. */
export function accountPage(server: string): string {
  const body = html`<h1>One moment</h1><p data-account="${server}">${needsScript}</p>`;
  return page("One moment", body);
}

/** Comes back from the provider: the page proves that it is the one that goes on. */
export function backPage(uid: string, answer: string): string {
  return page(
    "One moment",
    html`<h1>One moment</h1>
<form data-auto method="post" action="/sign-in/${uid}/back">${pageField}
<input type="hidden" name="answer" value="${answer}"><button class="main">Go on</button>
</form>`,
  );
}

export function accessView(
  user: string,
  grants: readonly GrantView[],
  sessions: readonly SessionView[],
): string {
  const shownTime = (time: string | null) =>
    time === null ? "not yet" : time.slice(0, 16).replace("T", " ");
  const clients = grants.map(
    ({ id, client, scopes, createdAt, lastUsedAt }) => html`<tr>
<td><strong>${client.name}</strong><br><span class="muted">${client.address ?? client.id}${client.verified ? "" : " · not verified"}</span></td>
<td data-name="May">${scopes.join(", ")}</td><td data-name="Since">${shownTime(createdAt)}</td><td data-name="Last used">${shownTime(lastUsedAt)}</td>
<td><form method="post" action="/sign-in/access/revoke">${pageField}<input type="hidden" name="grant" value="${id}"><button>Take back</button></form></td></tr>`,
  );
  const browsers = sessions.map(
    ({
      id,
      signedInAt: at,
      usedAt,
      isCurrent: isThis,
    }) => html`<tr><td>${isThis ? "This browser" : "Another browser"}</td><td data-name="Since">${shownTime(at)}</td><td data-name="Workbench last used">${shownTime(usedAt)}</td>
<td><form method="post" action="/sign-in/access/end">${pageField}<input type="hidden" name="session" value="${id}"><button>Sign out</button></form></td></tr>`,
  );
  return html`<h1>What clients may do for ${user}</h1>
${grants.length === 0 ? html`<p>No client has been allowed anything.</p>` : html`<table><thead><tr><th>Client</th><th>May</th><th>Since</th><th>Last used</th><th></th></tr></thead><tbody>${clients}</tbody></table>`}
<h2>Where you are signed in</h2>
<table><thead><tr><th>Browser</th><th>Since</th><th>Workbench last used</th><th></th></tr></thead><tbody>${browsers}</tbody></table>`
    .html;
}
