-- look.lua: what every page of the site shares: the sheet of styles, the script of the search, the frame around a page.
local core = require "hamel.core"
local mathml = require "hamel.show.mathml"

local escape = mathml.escape
local look = {}

look.style = [[
:root { color-scheme: light dark; --back: #fff; --side: #f6f7f9; --text: #1c2228; --soft: #5a6570; --line: #dfe3e8; --link: #0b62a8; --code: #f4f5f7;
  --mark: #e8f1fa; --key: #8a2be2; --string: #a2420b; --comment: #5f7280; --number: #0a7a4b; --warn: #9a6b00; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --side: #1a1f26; --text: #e3e7eb; --soft: #9aa6b2; --line: #313943; --link: #6db3f2;
  --code: #1e242c; --mark: #1d2f42; --key: #c99bff; --string: #f0a36b; --comment: #8b9aa7; --number: #6fd3a2; --warn: #e0b040; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.6 system-ui, "Segoe UI", "Noto Sans", sans-serif; display: grid;
  grid-template-columns: 17rem minmax(0, 1fr); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
nav.side { background: var(--side); border-right: 1px solid var(--line); padding: 1.2rem 1rem 3rem; height: 100vh; position: sticky; top: 0;
  overflow-y: auto;
  font-size: .9rem; scrollbar-width: thin; }
nav.side .name { font-size: 1.25rem; font-weight: 700; color: var(--text); } nav.side .version { color: var(--soft); font-size: .8rem;
  margin-left: .4rem; }
nav.side ul { list-style: none; margin: .2rem 0 .4rem; padding: 0 0 0 .4rem; } nav.side li { margin: .08rem 0; }
nav.side li a { display: block; padding: .1rem .5rem; border-radius: .3rem; color: var(--text); }
nav.side li a.here { background: var(--mark); color: var(--link); font-weight: 600; }
nav.side summary { cursor: pointer; font-weight: 650; margin-top: .5rem; } nav.side .group { color: var(--soft); font-size: .8rem;
  margin: .4rem 0 0 .5rem; }
#search { width: 100%; font: inherit; padding: .35rem .6rem; margin: .8rem 0 .3rem; border: 1px solid var(--line); border-radius: .4rem;
  background: var(--back); color: var(--text); }
#found { list-style: none; margin: 0; padding: 0; } #found li { padding: .3rem 0; border-bottom: 1px solid var(--line); }
#found small { display: block; color: var(--soft); line-height: 1.35; }
.middle { display: grid; grid-template-columns: minmax(0, 50rem) 14rem; gap: 3rem; justify-content: center; padding: 1.6rem 2rem 5rem; }
.middle:has(aside:empty) { grid-template-columns: minmax(0, 66rem); }
main { min-width: 0; }
aside { font-size: .84rem; position: sticky; top: 1.6rem; align-self: start; max-height: 90vh; overflow-y: auto; scrollbar-width: thin; }
aside ul { list-style: none; padding: 0; margin: .3rem 0; border-left: 2px solid var(--line); } aside li { padding: .12rem 0 .12rem .8rem; }
aside li.deep { padding-left: 1.6rem; } aside a { color: var(--soft); overflow-wrap: anywhere; }
h1 { font-size: 1.9rem; line-height: 1.25; margin: .2rem 0 1rem; } h2 { font-size: 1.35rem; margin: 2.4rem 0 .6rem; padding-bottom: .25rem;
  border-bottom: 1px solid var(--line); } h3 { font-size: 1.1rem; margin: 1.8rem 0 .4rem; } h4 { margin: 1.4rem 0 .3rem; }
h2 code, h3 code { font-size: .92em; }
:is(h2, h3, h4) a.anchor { opacity: 0; margin-left: .4rem; font-weight: 400; } :is(h2, h3, h4):hover a.anchor { opacity: .6; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .45rem; padding: .75rem .95rem; overflow-x: auto; font-size: .86rem;
  line-height: 1.5; position: relative; scrollbar-width: thin; }
pre.out { border-left: 3px solid var(--link); background: none; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.code, pre.formula { white-space: pre-wrap; overflow-wrap: anywhere; } pre.formula { border: 0; background: none; padding: .2rem 1.4rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: .89em; background: var(--code); border-radius: .25rem;
  padding: .08em .28em; overflow-wrap: anywhere; } pre code { background: none; padding: 0; font-size: 1em; } a code { color: inherit; }
.l { display: block; padding-left: 4ch; text-indent: -4ch; }
.k { color: var(--key); } .s { color: var(--string); } .c { color: var(--comment); font-style: italic; } .n { color: var(--number); }
  .p { color: var(--number); }
button.copy { position: absolute; top: .4rem; right: .4rem; font-size: .72rem; opacity: 0; border: 1px solid var(--line); border-radius: .3rem;
  background: var(--back); color: var(--soft); cursor: pointer; } pre:hover button.copy, button.copy:focus { opacity: 1; }
math { font-size: 1.15em; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", "Libertinus Math", "DejaVu Math TeX Gyre", math, serif;
  } div.math { margin: .9rem 0; padding: .2rem 0; overflow-x: auto; overflow-y: hidden; scrollbar-width: thin; }
.step div { margin: .35rem 0 .35rem 1rem; } ol.steps > li { margin-bottom: .7rem; } .continued { margin-left: 2.6rem !important; }
div.wide { overflow-x: auto; scrollbar-width: thin; } table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .92rem; }
td, th { border-bottom: 1px solid var(--line); padding: .35rem .7rem .35rem 0; text-align: left; vertical-align: top; } th { color: var(--soft);
  font-weight: 600; }
td:first-child code, .options td:last-child code { white-space: nowrap; } .equations td:first-child { color: var(--soft); width: 6rem; }
.entry { border-top: 1px solid var(--line); padding-top: .4rem; margin-top: 1.6rem; } .entry > h3 { font-size: 1rem; margin: .3rem 0; }
.entry > h3 code { background: none; padding: 0; font-weight: 650; } p.plain { white-space: pre-line; }
.lead { font-size: 1.08rem; color: var(--soft); } .note { border-left: 3px solid var(--warn); padding: .1rem 0 .1rem 1rem; }
.facts td:first-child { color: var(--soft); width: 9rem; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); gap: 1rem; margin: 1.2rem 0; }
.card { border: 1px solid var(--line); border-radius: .6rem; padding: .8rem 1rem; color: var(--text); display: block; }
.card:hover { border-color: var(--link); text-decoration: none; } .card b { display: block; color: var(--link); } .card span { font-size: .86rem;
  color: var(--soft); display: block; line-height: 1.4; }
.card img { width: 100%; aspect-ratio: 3 / 2; object-fit: contain; background: #fff; border-radius: .35rem; margin-bottom: .4rem; }
.card .none { width: 100%; aspect-ratio: 3 / 2; display: flex; align-items: center; justify-content: center; color: var(--soft);
  background: var(--code);
  border-radius: .35rem; margin-bottom: .4rem; font-size: .85rem; text-align: center; padding: 1rem; }
figure { margin: 1.2rem 0; } figure img { max-width: 100%; background: #fff; border-radius: .45rem; } figcaption { color: var(--soft);
  font-size: .86rem; }
.turn { display: flex; justify-content: space-between; gap: 1rem; margin-top: 3.5rem; border-top: 1px solid var(--line); padding-top: 1rem;
  font-size: .95rem; }
.menu { display: none; }
@media (max-width: 64rem) { math { font-size: 1em; } }
@media (max-width: 80rem) { .middle { grid-template-columns: minmax(0, 50rem); } aside { display: none; } }
@media (max-width: 56rem) { body { display: block; } nav.side { position: static; height: auto; border-right: 0;
  border-bottom: 1px solid var(--line); padding: .7rem 1rem; }
  nav.side .pages { display: none; } nav.side.open .pages { display: block; } .menu { display: inline-block; float: right; font: inherit;
  border: 1px solid var(--line);
  border-radius: .3rem; background: var(--back); color: var(--text); } .middle { padding: 1rem 1rem 4rem; } h1 { font-size: 1.6rem; } }
@media print { nav.side, aside, .turn, button { display: none; } body { display: block; } }
]]

-- Entries of the index: [page, anchor, title, kind, text]; groups of words that mean the same: arrays
look.script = [==[
"use strict";
const plain = text => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const folded = entries.map(e => [plain(e[2]), plain(e[4])]);
function others(word) {
  const list = new Set();
  for (const group of synonyms) if (group.includes(word)) for (const other of group) if (other !== word) list.add(other);
  return [...list];
}
function worth(word, title, text, most) {
  const at = title.indexOf(word);
  if (at >= 0) return most*(title === word ? 30 : at === 0 || /[^a-z0-9]/.test(title[at - 1]) ? 12 : 6);
  return text.includes(word) ? most*2 : 0;
}
function look(text) {
  const words = plain(text).split(/[\s,]+/).filter(w => w.length > 0);
  const alike = words.map(others), hits = [];
  entries.forEach((entry, i) => {
    let sum = 0, met = 0;
    words.forEach((word, k) => {
      let one = worth(word, folded[i][0], folded[i][1], 1);
      if (!one && word.length > 3 && word.endsWith("s")) one = worth(word.slice(0, -1), folded[i][0], folded[i][1], 0.8);
      for (const other of alike[k]) one = Math.max(one, worth(other, folded[i][0], folded[i][1], 0.5));
      if (one > 0) { met++; sum += one; }
    });
    if (met > 0) hits.push([sum*met*met/(words.length*words.length), i]);
  });
  hits.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  return hits.slice(0, 15).map(h => entries[h[1]]);
}
function show() {
  const text = field.value.trim(), found = document.getElementById("found"), pages = document.querySelector(".pages");
  found.textContent = "";
  pages.hidden = text !== "";
  if (text === "") return;
  const hits = look(text);
  for (const [page, anchor, title, kind, words] of hits) {
    const li = document.createElement("li"), a = document.createElement("a"), small = document.createElement("small");
    a.href = page + (anchor ? "#" + anchor : "");
    a.textContent = title;
    small.textContent = kind + (words ? ": " + words.slice(0, 110) : "");
    li.append(a, small);
    found.append(li);
  }
  if (!hits.length) found.innerHTML = "<li>Nothing found. Try one word, or a name such as simulate.</li>";
}
const field = document.getElementById("search");
field.addEventListener("input", show);
document.addEventListener("keydown", e => {
  if (e.key === "/" && document.activeElement !== field) { e.preventDefault(); field.focus(); }
  if (e.key === "Escape" && document.activeElement === field) { field.value = ""; show(); field.blur(); }
  if (e.key === "Enter" && document.activeElement === field) { const a = document.querySelector("#found a"); if (a) location.href = a.href; }
});
for (const pre of document.querySelectorAll("pre.code")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(pre.querySelector("code").textContent).then(() => { button.textContent = "copied"; }));
  pre.append(button);
}
for (const h of document.querySelectorAll("main :is(h2, h3, h4)[id]")) {
  const a = document.createElement("a");
  a.className = "anchor";
  a.href = "#" + h.id;
  a.textContent = "#";
  a.setAttribute("aria-label", "link to this section");
  h.append(a);
}
document.querySelector(".menu").addEventListener("click", () => document.querySelector("nav.side").classList.toggle("open"));
const here = document.querySelector("nav.side a.here");
if (here) { const side = document.querySelector("nav.side"); side.scrollTop = Math.max(0, here.offsetTop - side.clientHeight/2); }
const asked = new URLSearchParams(location.search).get("q");
if (asked) { field.value = asked; show(); }
]==]

local function navigation(site, page)
  local out = {}
  for _, part in ipairs(site.parts) do
    local open = part == page.part
    out[#out + 1] = ('<details%s><summary>%s</summary><ul>'):format(open and " open" or "", escape(part.title))
    local group
    for _, other in ipairs(part) do
      if other.group ~= group then
        group = other.group
        if group then out[#out + 1] = '</ul><div class="group">' .. escape(group) .. "</div><ul>" end
      end
      out[#out + 1] = ('<li><a href="%s"%s>%s</a></li>'):format(other.file, other == page and ' class="here"' or "", escape(other.short or other.title))
    end
    out[#out + 1] = "</ul></details>"
  end
  return table.concat(out, "\n")
end

local function contents(page)
  local rows = {}
  for _, h in ipairs(page.headings) do
    if h.level == 2 or h.level == 3 then
      rows[#rows + 1] = ('<li%s><a href="#%s">%s</a></li>'):format(h.level == 3 and ' class="deep"' or "", h.id, escape(h.title))
    end
  end
  if #rows < 2 then return "" end
  return "<b>On this page</b><ul>" .. table.concat(rows, "\n") .. "</ul>"
end

local function turning(before, after)
  local left = before and ('<a href="%s">← %s</a>'):format(before.file, escape(before.short or before.title)) or "<span></span>"
  local right = after and ('<a href="%s">%s →</a>'):format(after.file, escape(after.short or after.title)) or "<span></span>"
  return '<div class="turn">' .. left .. right .. "</div>"
end

--- The whole text of a page; before, after: its neighbours in the order of reading.
function look.page(site, page, before, after)
  return table.concat{ '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n',
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>', escape(page.title), page.file == "index.html" and "" or " · Hamel",
    '</title>\n<link rel="icon" href="data:,">\n<link rel="stylesheet" href="hamel.css"></head>\n<body>\n',
    '<nav class="side" aria-label="pages"><button class="menu">menu</button><a class="name" href="index.html">Hamel</a><span class="version">', core.version,
    '</span>\n<input id="search" type="search" placeholder="Search   ( / )" aria-label="search" autocomplete="off"><ol id="found"></ol>\n',
    '<div class="pages">', navigation(site, page),
    '</div></nav>\n<div class="middle"><main>\n', page.html, turning(before, after), "\n</main>\n<aside>", contents(page),
    '</aside></div>\n<script src="index.js"></script><script src="hamel.js"></script>\n</body></html>\n' }
end

return look
