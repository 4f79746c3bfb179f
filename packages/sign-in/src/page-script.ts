import { pageHeader, pageKey } from "@toolplane/core/model/access/page-proof";

/** What the pages do: they keep the secret that proves them, and show it with each step. */
const proofScript = `
function keptSecret() {
  try {
    return localStorage.getItem("${pageKey}") ?? "";
  } catch {
    return "";
  }
}
function pageSecret() {
  const secret = keptSecret();
  if (secret !== "") return secret;
  const fresh = toText(crypto.getRandomValues(new Uint8Array(32)));
  try {
    localStorage.setItem("${pageKey}", fresh);
  } catch {
    return "";
  }
  return fresh;
}
document.addEventListener("submit", ({ target }) => {
  const field = target.elements.namedItem("page");
  if (field !== null) field.value = pageSecret();
}, true);
const post = (path) => fetch(path, { method: "POST", headers: { "${pageHeader}": keptSecret() } });

const proving = document.querySelector("[data-prove]");
async function prove() {
  const answer = keptSecret() === "" ? null : await post(proving.dataset.prove);
  if (answer?.ok) location.replace((await answer.json()).next);
  else proving.removeAttribute("data-prove");
}
if (proving !== null) void prove().catch(() => proving.removeAttribute("data-prove"));

document.querySelector("form[data-auto]")?.requestSubmit();

const shown = document.querySelector("[data-shown]");
async function show() {
  const answer = await post(shown.dataset.shown);
  if (answer.ok) shown.innerHTML = await answer.text();
  else location.replace((await answer.json()).next);
}
if (shown !== null) void show();

const account = document.querySelector("[data-account]");
async function openAccount() {
  const server = account.dataset.account;
  const answer = await post("/servers/" + server + "/sign-in");
  const read = await answer.json();
  const back = "/sign-in/workbench?to=" + encodeURIComponent("/account/" + server);
  if (answer.ok && /^https?:/.test(read.url)) location.replace(read.url);
  else if (answer.status === 401) location.replace(back);
  else account.textContent = read.detail ?? "The plane could not do this. Try again in a moment.";
}
if (account !== null) void openAccount();
`;

/** Asks the browser for a passkey. What it says is checked by the plane. */
const passkeyScript = `
const passkeyForm = document.querySelector("[data-passkey]");
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const say = (text) => { const place = document.getElementById("passkey-problem"); place.textContent = text; place.hidden = false; };
async function ask(path, body) {
  const answer = await fetch(passkeyForm.dataset.passkey + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const read = await answer.json();
  if (!answer.ok) throw new Error(read.error_description);
  return read;
}
async function create(options) {
  const publicKey = { ...options, challenge: toBytes(options.challenge), user: { ...options.user, id: toBytes(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((one) => ({ ...one, id: toBytes(one.id) })) };
  const made = await navigator.credentials.create({ publicKey });
  const { clientDataJSON, attestationObject } = made.response;
  return { id: made.id, rawId: made.id, type: made.type, clientExtensionResults: made.getClientExtensionResults(),
    response: { clientDataJSON: toText(clientDataJSON), attestationObject: toText(attestationObject), transports: made.response.getTransports() } };
}
async function use(options) {
  const publicKey = { ...options, challenge: toBytes(options.challenge), allowCredentials: [] };
  const made = await navigator.credentials.get({ publicKey });
  const { clientDataJSON, authenticatorData, signature, userHandle } = made.response;
  return { id: made.id, rawId: made.id, type: made.type, clientExtensionResults: made.getClientExtensionResults(),
    response: { clientDataJSON: toText(clientDataJSON), authenticatorData: toText(authenticatorData), signature: toText(signature), userHandle: userHandle ? toText(userHandle) : undefined } };
}
passkeyForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const options = await ask("/options", {});
    const answer = await (passkeyForm.dataset.kind === "create" ? create(options) : use(options));
    location.href = (await ask("/verify", { ...answer, page: pageSecret() })).next;
  } catch (thrown) {
    say(thrown.name === "NotAllowedError" ? "No passkey was used. Try again, or use another way." : thrown.message);
  }
});
`;

const toText = `
const toText = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
`;

export const pageScript = toText + proofScript + passkeyScript;
