/** The whole look of the page, light and dark. Its hash is in the page's policy, so no other style can be in it. */
export const pageStyle = `
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--line:#e3e6eb;--text:#1b2230;--quiet:#667085;--soft:#f1f3f6;
--model:#6366f1;--call:#0d9488;--warn:#d97706;--bad:#dc2626;--good:#15803d;--accent:#4f46e5}
@media (prefers-color-scheme:dark){:root{--ground:#0e1117;--card:#161b24;--line:#283040;--text:#e6e9ef;--quiet:#98a2b3;
--soft:#1d2430;--model:#818cf8;--call:#2dd4bf;--warn:#fbbf24;--bad:#f87171;--good:#4ade80;--accent:#a5b4fc}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1040px;margin:0 auto;padding:36px 24px 64px}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px}
.over{color:var(--quiet);font-size:13px;letter-spacing:.02em;margin:0 0 6px}
h1{font-size:24px;line-height:1.3;font-weight:650;margin:0 0 14px;overflow-wrap:anywhere;white-space:pre-wrap}
h2{font-size:13px;font-weight:600;text-transform:uppercase;letter-spacing:.06em;color:var(--quiet);margin:34px 0 10px}
.pills{display:flex;flex-wrap:wrap;gap:6px}
.pill{display:inline-block;border:1px solid var(--line);background:var(--card);border-radius:999px;padding:1px 10px;font-size:13px;
color:var(--quiet);overflow-wrap:anywhere}
.pill b{font-weight:600;color:var(--text)}
.good{color:var(--good);border-color:currentColor;font-weight:600}
.warn{color:var(--warn);border-color:currentColor;font-weight:600}
.bad{color:var(--bad);border-color:currentColor;font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin-top:18px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px}
.tile b{display:block;font-size:21px;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{color:var(--quiet);font-size:13px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 18px;margin:10px 0}
.chart{padding:16px 18px 8px;overflow-x:auto}
svg{display:block;width:100%;min-width:640px;height:auto}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--quiet)}
svg .name{fill:var(--text)}
svg line{stroke:var(--line)}
.bar-model{fill:var(--model)}.bar-call{fill:var(--call)}.bar-bad{fill:var(--bad)}.bar-warn{fill:var(--warn)}
.legend{display:flex;flex-wrap:wrap;gap:16px;color:var(--quiet);font-size:12.5px;padding:4px 0 6px}
.key{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
.key-model{background:var(--model)}.key-call{background:var(--call)}.key-bad{background:var(--bad)}.key-warn{background:var(--warn)}
.role{font-size:12.5px;font-weight:600;color:var(--quiet);margin-bottom:3px}
.user{border-left:3px solid var(--quiet)}
.system{background:transparent;border-style:dashed}
.assistant{border-left:3px solid var(--model)}
.answer{border-left:3px solid var(--good)}
.failure{border-left:3px solid var(--bad)}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
.thought{color:var(--quiet);font-style:italic;border-left:2px solid var(--line);padding-left:12px;margin:2px 0 10px}
.thought:last-child{margin-bottom:2px}
.call{padding:0;overflow:hidden}
.call>summary{display:flex;flex-wrap:wrap;align-items:center;gap:8px 10px;padding:11px 18px;cursor:pointer;list-style:none}
.call>summary::-webkit-details-marker{display:none}
.call>summary:focus-visible{outline:2px solid var(--accent);outline-offset:-3px;border-radius:12px}
.number{min-width:22px;height:22px;border-radius:7px;background:var(--soft);color:var(--quiet);font-size:12px;font-weight:600;display:inline-grid;
place-items:center;padding:0 6px}
.tool{font-weight:600;overflow-wrap:anywhere}
.facts{color:var(--quiet);font-size:12.5px;margin-left:auto;font-variant-numeric:tabular-nums}
.body{border-top:1px solid var(--line);padding:4px 18px 14px}
.label{color:var(--quiet);font-size:12px;font-weight:600;margin:10px 0 4px}
pre{margin:0;background:var(--soft);border-radius:8px;padding:10px 12px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto}
img{max-width:100%;max-height:320px;border-radius:8px;border:1px solid var(--line);display:block;margin:4px 0}
footer{color:var(--quiet);font-size:12.5px;margin-top:30px;overflow-wrap:anywhere}
@media print{body{background:#fff}pre{max-height:none}.card,.tile{break-inside:avoid}}
`;
