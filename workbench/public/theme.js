// Before anything is painted, so that nobody sees the other theme first.
const chosen = localStorage.getItem("toolplane.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
