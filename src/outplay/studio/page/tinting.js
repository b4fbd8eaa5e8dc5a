// Colouring states: by whose turn it is, by the forecast of a goal, by its value, by what a run saw or suspects.
import { unpacked } from "./asking.js";
import { scale, scaleStep } from "./colours.js";
import { effect, h, shows, signal } from "./reactive.js";
import { facts, goal, guarded, tints } from "./store.js";

export const tintBy = signal("");
const WAYS = [["", "by whose turn"], ["forecast", "by forecast"], ["value", "by value"]];
const ENDS = { forecast: ["impossible", "forced"], value: ["dear", "near the goal"] };
const RUN_WAYS = { coverage: ["not seen", "seen"], suspicion: ["suspected most", "cleared"] };
const ways = signal(WAYS);
export const shownRun = signal(null);  // the run by which states may be coloured: {id, covered, live}
effect(() => {
  const { covered, live } = shownRun.value ?? {};
  ways.value = [...WAYS, ...covered ? [["coverage", "by coverage"]] : [], ...live ? [["suspicion", "by suspicion"]] : []];
});
effect(() => {
  if (facts.value) shownRun.value = null;  // a run is of one model
});

// Tints from a number for each vertex, 0 to 1 or NaN.
export function tintsOf(name, numbers, ends) {
  return {
    name, ends,
    steps(scene) {
      const made = new Uint8Array(scene.x.length).fill(255), sums = new Float64Array(scene.x.length), counts = new Uint32Array(scene.x.length);
      for (let vertex = 0; vertex < numbers.length; vertex++) {
        const node = scene.nodeOf[vertex];
        if (node < 0 || Number.isNaN(numbers[vertex])) continue;
        sums[node] += numbers[vertex];
        counts[node]++;
      }
      for (let node = 0; node < made.length; node++) if (counts[node]) made[node] = scaleStep(sums[node] / counts[node]);
      return made;
    },
  };
}

const load = guarded(async () => {
  const by = tintBy.value, now = facts.value, wanted = goal.value;
  if (!ENDS[by]) { if (by === "") tints.value = null; return; }
  if (!now || !wanted) { tints.value = null; return; }
  const response = await fetch(`ask/tints?${new URLSearchParams({ document: now.id, goal: wanted, by })}`);
  if (!response.ok || tintBy.peek() !== by) return;
  tints.value = tintsOf(`${by} of ${wanted}`, unpacked(await response.arrayBuffer()).tint, ENDS[by]);
});
effect(() => { load(); });

let tinting = false;
// Colour by what the run has seen so far, a few times a second at most.
export const tintRun = guarded(async () => {
  const by = tintBy.value, now = shownRun.value;
  if (!RUN_WAYS[by] || !now || tinting) return;
  tinting = true;
  try {
    const response = await fetch(`ask/runtints?${new URLSearchParams({ run: now.id, by })}`);
    if (response.ok && tintBy.peek() === by) tints.value = tintsOf(`${by} of this run`, unpacked(await response.arrayBuffer()).tint, RUN_WAYS[by]);
    await new Promise(done => setTimeout(done, 400));
  } finally { tinting = false; }
});
effect(() => { tintRun(); });

export function tintChoice() {
  const choose = h("select", { "aria-label": "Colour states", onchange: event => { tintBy.value = event.target.value; } });
  shows(choose, () => ways.value.map(([name, title]) => h("option", { value: name, selected: name === tintBy.peek() }, `colour ${title}`)));
  return choose;
}

// The scale below the graph while states are coloured by something.
export function tintLegend() {
  return shows(h("div", { class: "tintscale" }), () => {
    const now = tints.value;
    if (!now) return null;
    return [h("span", {}, now.ends[0]), scale().map(colour => {
      const cell = h("i");
      cell.style.background = colour;
      return cell;
    }), h("span", {}, now.ends[1]), h("span", { class: "faint" }, now.name)];
  });
}
