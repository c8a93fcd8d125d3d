// SPDX-License-Identifier: Apache-2.0
#include "dperm/report/page/style.hpp"

namespace dperm::report {

namespace {

// Text on paper has a contrast of at least 7, quiet text and the accent at least 5.
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --paper: #ffffff; --quiet: #56606b; --line: #d8dde3; --wash: #f4f6f8; --accent: #0b5394;
  --alarm: #8a1c1c; --alarm-wash: #fbeeee; --care: #6b4a00; --care-wash: #fdf6e3;
  --c0: #0b6cb3; --c1: #c14f00; --c2: #00805c; --c3: #a8568a; --c4: #8a6000; --c5: #3c8dc4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8eaed; --paper: #14171b; --quiet: #a9b3be; --line: #343b43; --wash: #1c2127; --accent: #7ab8f5;
    --alarm: #ffb3ad; --alarm-wash: #3a1a1a; --care: #f0cf7a; --care-wash: #322a14;
    --c0: #56b4e9; --c1: #ff9248; --c2: #2fc79b; --c3: #e3a1c4; --c4: #e6b84a; --c5: #9ad0f5;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  overflow-wrap: break-word }
main, header, footer { max-width: 44rem; margin: 0 auto; padding: 0 1rem }
header { padding-top: 2.5rem }
footer { padding-bottom: 3rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem }
h1, h2, h3, h4 { font-family: Georgia, "Times New Roman", "Liberation Serif", serif; font-weight: 600; line-height: 1.2; text-wrap: balance }
h1 { font-size: 2.1rem; margin: 0 0 .6rem }
h2 { font-size: 1.45rem; margin: 3rem 0 .7rem; padding-top: .9rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.15rem; margin: 2rem 0 .5rem }
h4 { font-size: 1rem; margin: 1.4rem 0 .4rem }
.model > h2 { font-size: 1.7rem; border-top: 3px solid var(--ink) }
p, ul, dl { margin: .6rem 0 }
ul { padding-left: 1.2rem }
li { margin: .3rem 0 }
a { color: var(--accent) }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; background: var(--wash); padding: .08em .3em; border-radius: 3px;
  overflow-wrap: anywhere }
pre { background: var(--wash); padding: .7rem .9rem; border-radius: 4px; white-space: pre-wrap }
pre code { padding: 0 }
.lead { font-size: 1.18rem; line-height: 1.45 }
.kind { color: var(--quiet); font-size: .85rem; letter-spacing: .06em; text-transform: uppercase; margin: 0 0 .4rem }
.small, figcaption { color: var(--quiet); font-size: .86rem }
.banner { border-left: 5px solid var(--alarm); background: var(--alarm-wash); color: var(--alarm); padding: .9rem 1.1rem; margin: 0 0 1.6rem; border-radius: 3px }
.banner p { margin: .3rem 0 }
.banner .loud { font-size: 1.15rem; font-weight: 700 }
.care { border-left: 4px solid var(--care); background: var(--care-wash); color: var(--care); padding: .7rem 1rem; margin: 1rem 0; border-radius: 3px }
.care p { margin: .2rem 0 }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: 0; margin: 1.8rem 0 1rem; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line) }
.figures > div { padding: .9rem 1rem .9rem 0 }
.figures dt { font-size: .86rem; color: var(--quiet) }
.figures dd { margin: 0 }
.figures .big { font: 600 2.15rem/1.15 Georgia, "Times New Roman", "Liberation Serif", serif; color: var(--accent); font-variant-numeric: lining-nums; display: block }
.figures .under { font-size: .86rem; color: var(--quiet); display: block; margin-top: .2rem }
nav ul { list-style: none; padding: 0; margin: 1rem 0 0; display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; font-size: .9rem }
nav li { margin: 0 }
nav a { display: inline-block; padding: .22rem 0 }
.scroll { overflow-x: auto; margin: .8rem 0 }
table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.35 }
th, td { text-align: left; vertical-align: top; padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--line) }
thead th { color: var(--quiet); font-weight: 600; font-size: .82rem; vertical-align: bottom; border-bottom: 1px solid var(--quiet) }
tbody th { font-weight: 500 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
thead th.n { white-space: normal }
th:last-child, td:last-child { padding-right: 0 }
tr.sum th, tr.sum td { font-weight: 700 }
dl > div { display: grid; grid-template-columns: 11rem 1fr; gap: .2rem 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line) }
dl.figures > div { display: block; border: 0 }
dt { color: var(--quiet) }
dd { margin: 0; min-width: 0 }
details { margin: .7rem 0 }
summary { cursor: pointer; color: var(--accent); padding: .2rem 0 }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); gap: 1.2rem 1.6rem; margin: 1rem 0 }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .8rem 1.4rem; margin: 1rem 0 }
figure { margin: 0; break-inside: avoid }
p.name { font-weight: 600; margin: 0 0 .2rem; font-size: .95rem }
.under { display: block; font-size: .82rem; color: var(--quiet); font-weight: 400 }
div > p.name, section > p.name { margin-top: 1.4rem }
figure > p.name { margin-top: 0 }
svg { display: block; width: 100%; height: auto }
svg.cell { width: 120px; height: 16px; display: inline-block; vertical-align: middle }
svg text { fill: var(--ink); font-family: inherit; font-size: 11px }
svg text.small { font-size: 10px; fill: var(--quiet) }
svg text.name { font-size: 12px; font-weight: 600 }
svg text.axis { font-size: 11.5px; fill: var(--quiet) }
.grid { stroke: var(--line) } .zero { stroke: var(--quiet) } .frame { fill: none; stroke: var(--line) }
.curve { fill: none; stroke: var(--accent); stroke-width: 2.4 }
.plain { fill: none; stroke: var(--quiet); stroke-width: 1.2 }
.dashed { fill: none; stroke: var(--quiet); stroke-width: 1.2; stroke-dasharray: 4 4 }
.area { fill: var(--accent); fill-opacity: .12 }
.bar { stroke: var(--ink); stroke-width: 1.3; stroke-opacity: .65 }
.value { stroke: var(--accent); stroke-width: 5; stroke-opacity: .45 }
.dot { fill: var(--accent) }
.line { fill: none; stroke-width: 1.9 }
.s0 { stroke: var(--c0) } .s1 { stroke: var(--c1) } .s2 { stroke: var(--c2) } .s3 { stroke: var(--c3) } .s4 { stroke: var(--c4) } .s5 { stroke: var(--c5) }
.f0 { fill: var(--c0) } .f1 { fill: var(--c1) } .f2 { fill: var(--c2) } .f3 { fill: var(--c3) } .f4 { fill: var(--c4) } .f5 { fill: var(--c5) }
.low { fill: var(--c0) } .high { fill: var(--c1) }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0; font-size: .88rem }
.key svg { width: 12px; height: 12px; display: inline-block; margin-right: .4rem }
.rule { margin: 1rem 0; padding: .8rem 1.1rem; border-left: 4px solid var(--accent); background: var(--wash); font-size: 1.1rem; overflow-wrap: anywhere }
td.shade { background: color-mix(in srgb, var(--accent) calc(var(--share) * 30%), transparent) }
table.confusion th.n, table.confusion td.n { padding-right: .5rem }
@media (max-width: 34rem) {
  h1 { font-size: 1.7rem }
  dl > div { grid-template-columns: 1fr; gap: 0 }
  .figures > div { border-bottom: 1px solid var(--line) }
  .figures > div:last-child { border-bottom: 0 }
  th, td { padding-right: .6rem }
  svg.cell { width: 84px; height: 12px }
}
@media print {
  @page { margin: 18mm 16mm }
  :root { --ink: #000; --paper: #fff; --quiet: #444; --line: #bbb; --wash: #f4f4f4; --accent: #0b5394; --alarm: #8a1c1c; --alarm-wash: #fff; --care: #5a3e00; --care-wash: #fff;
    --c0: #0b6cb3; --c1: #c14f00; --c2: #00805c; --c3: #a8568a; --c4: #8a6000; --c5: #3c8dc4 }
  body { font-size: 10pt }
  main, header, footer { max-width: none; padding: 0 }
  header { padding-top: 0 }
  nav { display: none }
  .scroll { overflow: visible }
  table { font-size: 8.5pt }
  th, td { padding-right: .5rem }
  h2, h3, h4, summary { break-after: avoid }
  tr, figure, .banner, .care, .figures, dl > div, li, pre { break-inside: avoid }
  thead { display: table-header-group }
  .figures { grid-template-columns: repeat(3, 1fr) }
  .panels { grid-template-columns: repeat(3, 1fr) }
  .pictures { grid-template-columns: repeat(2, 1fr) }
  details::details-content { content-visibility: visible; block-size: auto }
  summary { list-style: none; color: var(--ink) }
  a { color: inherit; text-decoration: none }
}
)css";

}  // namespace

std::string_view page_style() { return kStyle; }

}  // namespace dperm::report
