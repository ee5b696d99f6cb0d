/** How report.html looks, in light and in dark. */
export const style = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5d6878;--line:#d9dee6;--page:#f6f7f9;--card:#fff;--good:#1a7f4b;--bad:#c0362c;--warn:#9a6700;--calm:#5f6b79;--link:#1f5fbf}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa6b6;--line:#303a48;--page:#12171e;--card:#1a212b;--good:#4cc38a;--bad:#ff7b72;--warn:#e3b341;--calm:#8b98a8;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
header,main{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:32px}
.mode{margin:0;color:var(--soft)}
h1{margin:.1em 0;font-size:34px;letter-spacing:-.01em}
.good h1{color:var(--good)}.bad h1{color:var(--bad)}
code,pre{font:13px/1.45 ui-monospace,monospace}
.bar{display:flex;height:10px;border-radius:5px;overflow:hidden;background:var(--line)}
.bar .passed{background:var(--good)}.bar .failed,.bar .kit_error{background:var(--bad)}.bar .not_tested{background:var(--warn)}.bar .skipped{background:var(--calm)}
.chip{display:inline-block;margin:8px 6px 0 0;padding:2px 10px;border:1px solid var(--line);border-radius:12px;background:var(--card);cursor:pointer}
input[type=search]{padding:4px 10px;border:1px solid var(--line);border-radius:12px;background:var(--card);color:inherit;min-width:220px}
.claim,.ms,small,dd,.note{color:var(--soft);font-size:13px;font-weight:400}
h2{margin:28px 0 8px;font-size:18px}
.check{background:var(--card);border:1px solid var(--line);border-left:4px solid var(--calm);border-radius:6px;margin:6px 0;padding:6px 12px}
.check.passed{border-left-color:var(--good)}.check.failed,.check.kit_error{border-left-color:var(--bad)}.check.not_tested{border-left-color:var(--warn)}
summary{cursor:pointer}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
.check:target{box-shadow:0 0 0 2px var(--link)}
a{color:var(--link)}
nav{margin:10px 0;line-height:1.9}nav a{margin-right:8px;white-space:nowrap}
.none{color:var(--soft)}
.check>summary{display:flex;gap:10px;align-items:baseline;flex-wrap:wrap}
.mark{font-size:12px;text-transform:uppercase;letter-spacing:.04em;min-width:70px;color:var(--calm)}
.passed .mark{color:var(--good)}.failed .mark,.kit_error .mark{color:var(--bad)}.not_tested .mark{color:var(--warn)}
.says{flex:1 1 320px;min-width:0}
.verdict{border-collapse:collapse;margin:10px 0}.verdict th{text-align:left;vertical-align:top;padding:3px 14px 3px 0;color:var(--soft);white-space:nowrap;font-weight:600}.verdict td{padding:3px 0;overflow-wrap:anywhere}
.sentence,.subject,.claim,dd{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:8px 0}dt{font:13px ui-monospace,monospace}dd{margin:0}
figure{margin:10px 0;overflow-x:auto}
svg{font:12px ui-monospace,monospace}svg text{fill:var(--ink)}svg .time{fill:var(--soft);font-size:11px}svg .party{font-weight:600}svg .remark{fill:var(--soft);font-style:italic}
svg .odd{fill:var(--bad)}svg .lane{stroke:var(--line);stroke-dasharray:3 3}svg .arrow{stroke:var(--ink);fill:none}
pre{overflow:auto;white-space:pre;max-height:480px;padding:10px;border:1px solid var(--line);border-radius:6px}
@media (max-width:640px){header,main{padding:0 12px}header{padding-top:16px}h1{font-size:26px}.says{flex-basis:100%}.verdict,.verdict tbody,.verdict tr,.verdict th,.verdict td{display:block}.verdict td{padding-left:10px}dl{grid-template-columns:1fr}dd{padding-left:10px}input[type=search]{width:100%;margin-top:8px}}
@media print{.filter,nav{display:none}.check{break-inside:avoid}}
[hidden]{display:none!important}
`;
