export const style = `
:root { --ink: #1c2128; --dim: #5b6472; --line: #dde2e8; --back: #ffffff; --soft: #f5f7f9; --accent: #0b63ce;
  --get: #0b63ce; --post: #157347; --put: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --dim: #9aa4b2; --line: #323945; --back: #14171c; --soft: #1c2027; --accent: #6cb0ff;
    --get: #6cb0ff; --post: #5fc98f; --put: #e3ad5c; --delete: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); color: var(--ink); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.25rem 1rem; border-right: 1px solid var(--line);
  background: var(--soft); }
nav h1 { font-size: 1.1rem; margin: 0 0 .75rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); margin: 1.1rem 0 .25rem; }
nav a { display: block; color: inherit; text-decoration: none; font-size: .85rem; padding: .1rem .25rem; border-radius: 4px;
  overflow-wrap: anywhere; }
nav a:hover, nav a:focus-visible { background: var(--line); }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
section > h2 { margin: 2.5rem 0 .25rem; }
.dim { color: var(--dim); }
details.route { border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0; background: var(--back); }
details.route > summary { cursor: pointer; padding: .55rem .8rem; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
details.route > div { padding: 0 .9rem .9rem; border-top: 1px solid var(--line); }
.method { font: 600 .75rem ui-monospace, monospace; text-transform: uppercase; min-width: 3.6em; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
code, pre, .path { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; overflow: auto; max-height: 26rem; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; }
h4 { margin: 1rem 0 .2rem; font-size: .9rem; }
input, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .5rem; }
input { width: 100%; }
button { cursor: pointer; border-color: var(--accent); color: var(--accent); margin-top: .5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.key { max-width: 30rem; margin: 1rem 0; }
@media (max-width: 800px) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border-right: 0; } main { padding: 1rem; } }
`;
