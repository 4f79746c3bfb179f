/*
 * Passes a click on a notification to an open page of the workbench. It stores nothing, fetches nothing and knows no
 * secret: the page answers with its own session, or the approval is opened.
 */
const waitMs = 5_000;
const base = "/workbench/";

self.addEventListener("notificationclick", (event) => {
  const { action, notification } = event;
  notification.close();
  event.waitUntil(pass(action, String(notification.data?.id ?? "")));
});

async function pass(action, id) {
  const found = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const pages = found.filter(
    ({ url, frameType }) => frameType === "top-level" && new URL(url).pathname.startsWith(base),
  );
  const page = pages.find(({ focused }) => focused) ?? pages[0];
  if (page && (action === "approve" || action === "reject") && (await isAnswered(page, action, id)))
    return;
  if (page === undefined)
    return void (await self.clients.openWindow(`${base}approvals?id=${encodeURIComponent(id)}`));
  page.postMessage({ kind: "open", id });
  await page.focus();
}

/** Whether the page could answer; it cannot where it is not unlocked. */
function isAnswered(page, decision, id) {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    setTimeout(resolve, waitMs, false);
    port1.onmessage = ({ data }) => resolve(data === true);
    page.postMessage({ kind: "answer", decision, id }, [port2]);
  });
}
