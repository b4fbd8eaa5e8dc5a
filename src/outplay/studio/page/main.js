// The page: a head with search and choices, the graph, and a panel beside it.
import { ask } from "./asking.js";
import { look, switchLook } from "./colours.js";
import { editPanel } from "./edit_panel.js";
import { forecastPanel } from "./forecast_panel.js";
import { Graph } from "./graph.js";
import { effect, h, shows, signal } from "./reactive.js";
import { keptPanel, openPast } from "./kept_panel.js";
import { lanes, stand } from "./lanes.js";
import { openPanel } from "./open_panel.js";
import { savePng, saveSvg } from "./pictures.js";
import { playPanel, resume } from "./play_panel.js";
import { runPanel } from "./run_panel.js";
import { searchBox } from "./search.js";
import { tintChoice, tintLegend } from "./tinting.js";
import { statePanel } from "./state_panel.js";
import { busy, documents, facts, fold, goal, guarded, notice, openDocument, panel, refold, select, standing } from "./store.js";

history.replaceState(null, "", `./${location.hash}`);  // the token was used; nobody needs to see it

const graph = new Graph();
const lookNow = signal(look());
const PANELS = [["open", "Open", openPanel()], ["state", "State", statePanel(graph)], ["forecast", "Forecast", forecastPanel()], ["play", "Play", playPanel(graph)],
  ["run", "Live run", runPanel()], ["kept", "Past runs", keptPanel()], ["edit", "Model", editPanel()]];

function header() {
  const choose = h("select", { "aria-label": "Open model", onchange: event => openDocument(event.target.value) });
  shows(choose, () => documents.value.map(one => h("option", { value: one.id, selected: one.id === facts.value?.id }, one.title)));
  const sizes = shows(h("span", { class: "sizes" }), () => facts.value
    ? `${facts.value.states.toLocaleString()} states · ${facts.value.vertices.toLocaleString()} vertices · ${facts.value.edges.toLocaleString()} edges · ${facts.value.assumption}` : "");
  const toggle = shows(h("button", { title: "Light or dark", onclick: () => { switchLook(); lookNow.value = look(); graph.redraw(); } }),
    () => lookNow.value === "dark" ? "Light" : "Dark");
  const tools = [choose, foldChoice(), tintChoice(), h("button", { title: "Save the graph as SVG", onclick: () => saveSvg(graph) }, "SVG"),
    h("button", { title: "Save the graph as PNG", onclick: () => savePng(graph) }, "PNG"), h("button", { title: "Show all of the graph (0)", onclick: () => graph.fit() }, "Fit")];
  effect(() => { for (const tool of tools) tool.hidden = !facts.value; });
  return h("header", {}, h("strong", {}, "outplay"), choose, sizes, searchBox(graph), h("span", { class: "space" }), tools.slice(1), toggle);
}

// How the graph is folded; groups are opened by a click.
function foldChoice() {
  const choose = h("select", { "aria-label": "Fold the graph", onchange: event => refold(event.target.value) });
  return shows(choose, () => (facts.value?.folds ?? []).map(([way, words]) => h("option", { value: way, selected: way === fold.value }, words)));
}

function tabs() {
  return h("nav", { role: "tablist" }, PANELS.map(([name, title]) => {
    const tab = h("button", { role: "tab", id: `tab-${name}`, onclick: () => { panel.value = name; } }, title);
    shows(tab, () => { tab.setAttribute("aria-selected", panel.value === name); return title; });
    return tab;
  }));
}

const legend = shows(h("div", { class: "legend" }), () => [h("span", { class: "tester" }, "tester moves"), h("span", { class: "system" }, "system moves"),
  h("span", { class: "lost" }, "no moves from here"), goal.value ? h("span", { class: "goal" }, `goal: ${goal.value}`) : null]);
shows(h("i"), () => { legend.hidden = !facts.value; return null; });
const side = h("aside", {}, tabs(), PANELS.map(([name, , body]) => {
  const section = h("section", { role: "tabpanel", "aria-labelledby": `tab-${name}` }, body);
  shows(h("i"), () => { section.hidden = panel.value !== name; return null; });
  return section;
}));
const warned = shows(h("div", { class: "warnings" }), () => (facts.value?.warnings ?? []).map(text => h("p", {}, text)));
const stage = h("div", { class: "stage" }, h("div", { class: "view" }, graph.canvas, legend, tintLegend(), warned,
  shows(h("div", { class: "busy", role: "status" }), () => busy.value ? h("p", {}, busy.value) : null),
  shows(h("div"), () => facts.value || busy.value ? null : h("p", { class: "empty" }, "Open a model, an example, a trace or a past run: its graph is shown here."))), lanes());
const message = shows(h("div", { class: "notice", role: "alert" }), () => notice.value
  ? h("p", {}, notice.value.text, h("button", { "aria-label": "Close", onclick: () => { notice.value = null; } }, "×")) : null);
document.body.append(header(), h("main", {}, stage, side), message);
document.addEventListener("keydown", event => {
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  if (event.key === "/") {
    event.preventDefault();
    document.querySelector("input[type=search]").focus();
  }
  if ("[]".includes(event.key) && panel.peek() !== "play") stand(standing.peek() + (event.key === "[" ? -1 : 1));
});

globalThis.studio = { graph };  // for whoever measures

guarded(async () => {
  const known = await ask("documents");
  documents.value = known.documents;
  if (known.shown === "trace") { panel.value = "kept"; await openPast(); if (!facts.peek()) panel.value = "open"; graph.canvas.dataset.ready = "true"; return; }
  if (!documents.value.length) { panel.value = known.shown ? "kept" : "open"; return; }
  await openDocument(documents.value[0].id);
  if (!facts.peek()) return;
  if (await resume()) { graph.canvas.dataset.ready = "true"; return; }
  const at = Number(new URLSearchParams(location.hash.slice(1)).get("vertex") ?? facts.value.initial);
  await select(at);
  graph.canvas.dataset.ready = "true";
})();
