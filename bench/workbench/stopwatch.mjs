/** Runs in the page, before its own scripts. Times are the page's own, in milliseconds since it was asked for. */

// A message is heard after the frame in which it was sent has been drawn.
const afterFrame = () =>
  new Promise((resolve) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(null);
    }),
  );

/** Far above what anything here takes: what does not come ends the benchmark instead of holding it. */
const hangMs = 30_000;

const until = (what, test) =>
  new Promise((resolve, reject) => {
    if (test()) return resolve();
    const finish = (settle) => {
      observer.disconnect();
      clearTimeout(timer);
      settle();
    };
    const observer = new MutationObserver(() => test() && finish(resolve));
    const timer = setTimeout(
      () =>
        finish(() =>
          reject(new Error(`The page did not show ${what} within ${hangMs / 1_000} s.`)),
        ),
      hangMs,
    );
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });

const next = (type) =>
  new Promise((resolve) => addEventListener(type, resolve, { once: true, capture: true }));

const isSettled = () => document.querySelector("[role=table][aria-busy=true]") === null;

globalThis.stopwatch = {
  /** When a frame was shown that has what the selector means. */
  shown: (selector) =>
    until(selector, () => document.querySelector(selector) !== null).then(afterFrame),

  /** From the next key in a search box until its results are on the screen. */
  async nextKey() {
    const key = await next("keydown");
    await next("input");
    // The page has rendered what was typed by then, and says whether its rows are still those from before.
    await new Promise((resolve) => setTimeout(resolve));
    await until("the rows of the search", isSettled);
    return (await afterFrame()) - key.timeStamp;
  },

  /** What a request that does nothing takes until a frame is shown: as quick as anything can be here. */
  async floor() {
    const begunAt = performance.now();
    await (await fetch("/healthz")).text();
    return (await afterFrame()) - begunAt;
  },

  clickedAt: () => next("click").then(() => Date.now()),

  /** Scrolls the table, so many pixels a frame, and tells how long each frame took. */
  async scroll(pixels, forMs) {
    const table = document.querySelector("[role=table]");
    const frames = [];
    const begunAt = performance.now();
    for (let before = await afterFrame(); before - begunAt < forMs; ) {
      table.scrollBy(0, pixels);
      const now = await afterFrame();
      frames.push(now - before);
      before = now;
    }
    return frames;
  },

  contentfulAt: () =>
    new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => {
        const [found] = list.getEntriesByName("first-contentful-paint");
        if (found) resolve(found.startTime);
      });
      observer.observe({ type: "paint", buffered: true });
    }),
};
