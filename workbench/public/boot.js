// Runs before the first paint, and whether or not the app itself starts.
const theme = localStorage.getItem("toolplane.theme");
if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

const startTimeoutMs = 10_000;

function showFailure(reason) {
  if (document.getElementById("root")?.hasChildNodes()) return;
  const box = document.getElementById("did-not-start");
  if (box === null) return;
  if (reason) document.getElementById("did-not-start-reason").textContent = reason;
  box.hidden = false;
}

// A script that cannot be loaded tells its element only; one that cannot be parsed or that throws tells the window.
addEventListener(
  "error",
  (event) => {
    const { target, message } = event;
    if (target instanceof HTMLScriptElement)
      showFailure(`${new URL(target.src).pathname} could not be loaded.`);
    else if (message) showFailure(message);
  },
  true,
);
addEventListener("unhandledrejection", ({ reason }) =>
  showFailure(String(reason?.message ?? reason)),
);
addEventListener("load", () => setTimeout(showFailure, startTimeoutMs, ""));
