import { existsSync } from "node:fs";
import { type Browser, type BrowserServer, chromium } from "playwright-core";

/** The shell comes first: without the windows of a whole browser it needs half the processor time. */
const executablePath =
  [
    process.env.CHROMIUM,
    "/usr/bin/chromium-headless-shell",
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].find((file) => file !== undefined && existsSync(file)) ?? "";

/** Why nothing can be tried here; false where it can. */
export const noBrowser =
  executablePath === "" && "There is no Chromium. Say where one is with CHROMIUM=/path/to/it.";

const options = { executablePath, args: ["--no-sandbox"] };

/** A signal ends the runner, and the browser with it. */
const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** One browser for a whole run of the tests; null where there is none. */
export async function startBrowser(): Promise<BrowserServer | null> {
  return executablePath === "" ? null : chromium.launchServer({ ...options, ...signals });
}

/** The browser of the run, with contexts of its own; another browser where a file is run alone. */
export async function openBrowser(): Promise<Browser> {
  const running = process.env.TOOLPLANE_TEST_BROWSER;
  return running === undefined ? chromium.launch(options) : chromium.connect(running);
}
