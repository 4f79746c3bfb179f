/** The colours and shapes of the workbench. */
export const styleSheet = `
:root { color-scheme: light dark;
  --canvas: light-dark(#f6f7f9, #0e1217); --surface: light-dark(#fff, #161b22); --sunken: light-dark(#eff1f4, #1d242d);
  --line: light-dark(#dfe3e8, #2b333d); --ink: light-dark(#1a222d, #e5e9ef); --muted: light-dark(#566171, #9ca7b6);
  --accent: light-dark(#1f4fc4, #86abff); --fill: light-dark(#2457d6, #2f60d8); --warn: light-dark(#7d5200, #e3b557);
  --warn-soft: light-dark(#fdf1d8, #35290f); --bad: light-dark(#a81f16, #ff8f86); --bad-soft: light-dark(#fdeae8, #3b1a18);
  --good: light-dark(#14693b, #62cc90); --good-soft: light-dark(#e2f4e9, #15301f); }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
a { color: var(--accent); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--canvas);
  color: var(--ink); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { width: 100%; max-width: 440px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px;
  padding: 28px; }
main.wide { max-width: 760px; }
header { display: flex; gap: 10px; align-items: center; margin-bottom: 18px; color: var(--muted); }
header img { width: 24px; height: 24px; }
h1 { font-size: 19px; line-height: 1.3; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 13px; margin: 18px 0 6px; color: var(--muted); font-weight: 600; }
p, h1, li, dd, td, code { unicode-bidi: plaintext; }
p { margin: 0 0 12px; }
.muted { color: var(--muted); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 14px; margin: 14px 0; padding: 12px 14px;
  background: var(--sunken); border-radius: 8px; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
ul { margin: 0 0 12px; padding-left: 20px; }
.note { border-radius: 8px; padding: 9px 12px; margin: 0 0 12px; }
.warn { background: var(--warn-soft); color: var(--warn); }
.bad { background: var(--bad-soft); color: var(--bad); }
.good { background: var(--good-soft); color: var(--good); }
form { margin: 0; }
label { display: block; margin-bottom: 10px; color: var(--muted); }
input { display: block; width: 100%; margin-top: 4px; padding: 8px 10px; font: inherit; color: var(--ink);
  background: var(--surface); border: 1px solid var(--line); border-radius: 6px; }
fieldset { border: 0; margin: 0 0 12px; padding: 0; min-width: 0; }
legend { font-size: 13px; margin: 6px 0; padding: 0; color: var(--muted); font-weight: 600; }
@media (scripting: enabled) { [data-prove] { visibility: hidden; } }
.choice { display: flex; gap: 9px; align-items: baseline; margin-bottom: 6px; color: var(--ink); cursor: pointer; min-width: 0; }
.choice input { flex: none; width: 15px; height: 15px; margin: 0; accent-color: var(--fill); transform: translateY(2px); }
.choice span { min-width: 0; overflow-wrap: anywhere; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 0 14px; max-height: 240px; overflow: auto; }
button, a.button { display: inline-block; width: 100%; padding: 9px 14px; margin-top: 8px; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; border-radius: 6px; border: 1px solid var(--line); background: var(--surface);
  color: var(--ink); cursor: pointer; }
button.main, a.button.main { background: var(--fill); border-color: var(--fill); color: #fff; }
.row { display: flex; gap: 10px; margin-bottom: 14px; }
.row > * { flex: 1; }
td button { width: auto; margin: 0; padding: 5px 10px; white-space: nowrap; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
hr { border: 0; border-top: 1px solid var(--line); margin: 18px 0; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; color: var(--muted); font-weight: 600; padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); }
td { padding: 9px 10px 9px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
@media (max-width: 560px) {
  main { padding: 20px; }
  thead { display: none; }
  tr { display: block; padding: 10px 0; border-bottom: 1px solid var(--line); }
  td { display: block; padding: 2px 0; border: 0; }
  td[data-name]::before { content: attr(data-name) ": "; color: var(--muted); }
  td button { margin-top: 6px; }
}
`;

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2457d6"/><path d="M8 10h16M16 10v13" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/><circle cx="9" cy="22" r="2.4" fill="#fff"/><circle cx="23" cy="22" r="2.4" fill="#fff"/></svg>';
