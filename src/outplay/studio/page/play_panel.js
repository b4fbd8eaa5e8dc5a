// Playing by hand: a side, somebody for the other one, moves, and the line of play with its branches.
import { act } from "./asking.js";
import { label } from "./labels.js";
import { download } from "./exporting.js";
import { computed, effect, h, shows, signal } from "./reactive.js";
import { details, facts, goal, guarded, hovered, mark, panel, select, timeline } from "./store.js";
import { worthOf } from "./state_panel.js";

const side = signal("tester"), wanted = signal("adversary"), seed = signal(0), onwards = signal(false);
const rival = computed(() => goal.value || side.value === "both" ? wanted.value : "chance");  // only chance needs no goal
export const play = signal(null);  // what the server says of the path
const line = signal([]);  // the path as far as it was ever played from here; `play` may stand before its end
const branches = signal([]);  // other paths that were left
const written = signal(null);

const given = path => ({ document: facts.peek().id, goal: goal.peek(), side: side.peek(), rival: rival.peek(), seed: seed.peek(), path, onwards: onwards.peek() });

let asked = 0;
async function ask(path, answer) {
  const mine = ++asked;
  const found = await act("play", { ...given(path), answer });
  if (mine !== asked) return new Promise(() => {});  // a later move counts
  play.value = found;
  written.value = hovered.value = null;
  select(found.vertex);
  return found;
}

function starts(path, beginning) { return beginning.every((edge, at) => path[at] === edge); }

export const begin = guarded(async () => {
  play.value = null;
  onwards.value = false;
  branches.value = [];
  seed.value = Math.floor(Math.random() * 2 ** 31);
  line.value = (await ask([], true)).path;
});

// A move; where the play stood before the end of its line, what came after becomes a branch.
const move = guarded(async edge => {
  if (!details.peek().moves.some(one => one.edge === edge) || details.peek().vertex !== play.peek().vertex) return;
  const path = [...play.peek().path, edge], before = line.peek();
  if (before.length > play.peek().path.length && !starts(before, path)) branches.value = [...branches.peek().filter(one => !starts(before, one)), before];
  line.value = (await ask(path, true)).path;
});

const go = guarded(async count => {
  await ask(line.peek().slice(0, Math.max(0, Math.min(line.peek().length, count))), false);
});

// Back to the person's last move.
const undo = () => {
  const steps = play.peek()?.steps ?? [];
  for (let at = steps.length - 1; at >= 0; at--) if (steps[at].mine) return go(at);
  return go(0);
};

const playOn = () => { onwards.value = true; if (!play.peek().mine) return letMove(); };
const letMove = guarded(async () => { line.value = (await ask(play.peek().path, true)).path; });
const leap = guarded(async path => { const left = line.peek(); branches.value = [...branches.peek().filter(one => one !== path), left]; line.value = path; await ask(path, false); });

effect(() => {
  const now = play.value;
  if (!now || panel.value !== "play") return;
  timeline.value = { title: "This play", byHand: true, rows: now.steps.filter(step => step.n !== null).map(step => [step.n, 1, step.label.startsWith("?") ? "input" : "output", step.label, step.n, step.n, step.target, step.owner, true, ""]) };
  mark("trace", [facts.peek().initial, ...now.steps.map(step => step.target)], now.steps.map(step => [step.source, step.target]));
});
effect(() => { if (facts.value) { play.value = null; line.value = []; branches.value = []; } });

const permalink = computed(() => {
  const now = play.value;
  if (!now) return "";
  return `#${new URLSearchParams({ play: `${side.value}.${rival.value}.${seed.value}`, goal: goal.value, path: now.path.join(".") })}`;
});
effect(() => { if (permalink.value) history.replaceState(null, "", `./${permalink.value}`); });

// A link to a step of a play leads there again, as long as the model is the same.
export const resume = guarded(async () => {
  const from = new URLSearchParams(location.hash.slice(1)), how = (from.get("play") ?? "").split(".");
  if (how.length !== 3) return false;
  [side.value, wanted.value] = how;
  seed.value = Number(how[2]);
  goal.value = from.get("goal") ?? "";
  const path = (from.get("path") ?? "").split(".").filter(Boolean).map(Number);
  line.value = path;
  panel.value = "play";
  await ask(path, false);
  return true;
});

function choose(title, of, options, into = of) {
  return h("label", {}, title, shows(h("select", { onchange: event => { into.value = event.target.value; } }), () =>
    options().map(([name, words, off]) => h("option", { value: name, selected: of.value === name, disabled: off }, words))));
}

function moves() {
  return shows(h("div", { class: "choices" }), () => {
    const now = play.value, found = details.value;
    if (!now) return null;
    if (now.stuck) return h("p", {}, "No moves from here.");
    if (goal.value && now.reached && !onwards.value) return h("p", {}, h("button", { onclick: playOn }, "Play on"));
    if (!now.mine) return h("p", {}, `The ${now.turn} moves. `, h("button", { class: "main", onclick: letMove }, "Let it move"));
    if (!found || found.vertex !== now.vertex) return null;
    return [h("h3", {}, side.value === "both" ? `The ${now.turn} moves: choose` : "Your move"), h("ol", { class: "mymoves" }, found.moves.map((one, at) => h("li", {}, h("button", {
      "data-edge": one.edge, onclick: () => move(one.edge), onpointerenter: () => { hovered.value = one.target; }, onpointerleave: () => { hovered.value = null; } },
      h("kbd", {}, at < 9 ? `${at + 1}` : " "), label(one.label), one.free ? h("span", { class: "faint", title: "A decision: the system may still do something else first" }, " unless the system moves first") : null), shows(h("span"), () => worthOf(one.edge)))))];
  });
}

// Who won: the tester where the goal is reached, and the system where nobody can move before that.
function outcome(now) {
  if (!goal.value || !now.reached && !now.stuck) return null;
  const mine = side.value === "both" || rival.value === "helper" ? null : (side.value === "tester") === now.reached;
  const who = mine === null ? "" : mine ? "You won: " : "You lost: ";
  return h("p", { class: `ended ${mine ?? now.reached ? "good" : "bad"}`, role: "status" }, now.reached ? `${mine === false ? "✗" : "✓"} ${who}${goal.value} is reached.` : `${who}no moves from here, and ${goal.value} was not reached.`);
}

function steps() {
  return shows(h("div"), () => {
    const now = play.value;
    if (!now) return null;
    const total = line.value.length;
    return [
      now.worth ? h("p", { class: "faint" }, h("code", {}, goal.value), ` from here: ${now.worth}`) : null,
      side.value === "tester" && rival.value === "adversary" && /^(needs help|impossible)/.test(now.worth)
        ? h("p", { class: "hint" }, "The adversary never lets you get there from here. Play against a helper or chance, or for a goal that the forecast calls forced.") : null,
      h("p", { class: "controls" },
        h("button", { onclick: undo, disabled: !now.path.length, title: "Back to your last move (u)" }, "Undo"),
        h("button", { onclick: () => go(now.path.length - 1), disabled: !now.path.length, title: "One step back ([)" }, "‹"),
        h("input", { type: "range", min: 0, max: total, value: now.path.length, "aria-label": "Step", oninput: event => go(Number(event.target.value)) }),
        h("button", { onclick: () => go(now.path.length + 1), disabled: now.path.length >= total, title: "One step on (])" }, "›")),
      h("ol", { class: "steps" }, now.steps.map(step => h("li", { class: step.owner, value: step.n ?? undefined },
        h("button", { class: "place", "data-step": step.place, onclick: () => go(step.place + 1), onpointerenter: () => { hovered.value = step.target; }, onpointerleave: () => { hovered.value = null; } },
          h("span", { class: "n" }, step.n ?? "·"), label(step.label))))),
      branches.value.length ? [h("h3", {}, "Other lines"), branches.value.map(path => h("button", { class: "place", onclick: () => leap(path) }, `${path.length} steps, apart after ${shared(path, line.value)}`))] : null,
      exports(now),
    ];
  });
}

function shared(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

const write = guarded(async form => {
  const found = await act("export", { document: facts.peek().id, goal: goal.peek(), path: play.peek().path, form });
  written.value = found;
  download(found.name, found.text, "text/plain");
});

function exports(now) {
  if (!now.path.length) return null;
  return [h("h3", {}, "Write it down"), h("p", { class: "controls" }, [["trace", "Trace"], ["test", "Test (pytest)"], ["suite", "Suite"]].map(([form, words]) =>
    h("button", { onclick: () => write(form) }, words)), h("button", { onclick: () => navigator.clipboard?.writeText(location.href) }, "Copy link")),
    written.value ? h("p", { class: "told" }, `${written.value.name} was saved. Use it with `, h("code", { class: "command" }, written.value.command)) : null];
}

export function playPanel(graph) {
  document.addEventListener("keydown", event => {
    if (panel.peek() !== "play" || !play.peek() || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
    if (event.key === "u") undo();
    else if (event.key === "[") go(play.peek().path.length - 1);
    else if (event.key === "]") go(play.peek().path.length + 1);
    else if (/^[1-9]$/.test(event.key) && play.peek().mine) {
      const chosen = details.peek()?.moves[Number(event.key) - 1];
      if (chosen) move(chosen.edge);
    }
  });
  effect(() => { if (play.value) graph.show(play.value.vertex); });
  return h("div", { class: "play" },
    h("p", { class: "chooser" }, choose("I am", side, () => [["tester", "the tester"], ["system", "the system"], ["both", "both"]]),
      choose("against", rival, () => [["adversary", "an adversary"], ["chance", "chance"], ["helper", "a helper"]].map(([name, words]) => {
        const off = name !== "chance" && !goal.value && side.value !== "both";
        return [name, off ? `${words} (needs a goal)` : words, off];
      }), wanted),
      choose("for", goal, () => [["", "no goal"], ...[...new Set([...(facts.value?.goals ?? []), ...(facts.value?.goals.length ? [] : facts.value?.labels ?? []), goal.value])].filter(Boolean).map(name => [name, name])]),
      h("button", { class: "main", onclick: begin }, "Play")),
    shows(h("div"), () => play.value ? outcome(play.value) : null), moves(), steps());
}
