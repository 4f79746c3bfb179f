import { spawn } from "node:child_process";

/** Never through a shell: the address may come from outside. Where there is no browser, nothing happens. */
export function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["explorer.exe"] : ["xdg-open"];
  const browser = spawn(command as string, [...args, url], { stdio: "ignore", detached: true });
  browser.on("error", () => undefined);
  browser.unref();
}
