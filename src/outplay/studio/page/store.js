// What the page knows: the open model, what is selected, and what is marked in the graph.
import { ask, askScene, Refusal } from "./asking.js";
import { effect, signal } from "./reactive.js";

export const documents = signal([]);
export const facts = signal(null);
export const scene = signal(null);
export const selected = signal(null);  // a vertex
export const hovered = signal(null);  // a vertex, here or in a table
export const details = signal(null);
export const panel = signal("state");
export const notice = signal(null);
export const busy = signal("");
export const fold = signal("");
export const marks = signal({ vertices: new Map(), edges: new Map(), dim: false });
export const leftAt = signal(null);  // {vertex, label}: the step that left the model
export const tints = signal(null);  // {name, of: vertex -> 0..1 or null, legend}
export const goal = signal("");
export const timeline = signal(null);  // {title, rows}, each row as the feed of a run writes it

export const standing = signal(-1);  // the row of the timeline where somebody stands

// A number with its noun: "1 play", "2 plays".
export const counted = (count, noun) => `${count.toLocaleString()} ${noun}${count === 1 ? "" : "s"}`;

export function complain(error) {
  notice.value = { text: error instanceof Refusal ? error.message : `the page failed: ${error.message}`, at: Date.now() };
  if (!(error instanceof Refusal)) console.error(error);
}

export function guarded(work) {
  return (...given) => Promise.resolve(work(...given)).catch(complain);
}

export function clearMarks() {
  leftAt.value = null;
  marks.value = { vertices: new Map(), edges: new Map(), dim: false };
}

// Mark vertices and edges (each a source and a target) in a style; `dim` lets all else step back.
export function mark(style, vertices, edges, { dim = false, also = null } = {}) {
  const before = also ? marks.peek() : { vertices: new Map(), edges: new Map() };
  const made = { vertices: new Map(before.vertices), edges: new Map(before.edges), dim: dim || Boolean(also?.dim) };
  if (style !== "trace") leftAt.value = null;
  for (const vertex of vertices) made.vertices.set(vertex, style);
  for (const [source, target] of edges) made.edges.set(`${source} ${target}`, style);
  marks.value = made;
}

export const goalAt = signal(new Set());  // the vertices where the chosen goal holds, which are green
let wanted = 0;
effect(async () => {
  const document = facts.value?.id, name = goal.value, mine = ++wanted;
  const found = document && name ? await ask("target", { document, goal: name }).catch(() => null) : null;
  if (mine === wanted) goalAt.value = new Set(found?.vertices);
});

let asked = 0;
export const select = guarded(async vertex => {
  if (!facts.peek()) return;
  selected.value = vertex;
  const mine = ++asked;
  if (vertex === null) { details.value = null; return; }
  const found = await ask("vertex", { document: facts.peek().id, vertex });
  if (mine === asked) details.value = found;
});

export const openDocument = guarded(async (id, { look = () => {} } = {}) => {
  busy.value = "exploring the model …";
  const watching = setInterval(async () => {
    try {
      const { done, known } = await ask("exploring", { document: id });
      if (known && busy.peek()) busy.value = `exploring the model … ${done.toLocaleString()} states explored, ${known.toLocaleString()} known`;
    } catch { /* it is said below */ }
  }, 700);
  try {
    const found = await ask("facts", { document: id });
    clearMarks();
    tints.value = null;
    details.value = null;
    selected.value = null;
    timeline.value = null;
    goal.value = "";  // a goal is of one model
    facts.value = found;
    fold.value = found.fold ?? "";
    opened.value = [];
    goal.value = found.goals[0] ?? "";
    busy.value = "laying out the graph …";
    scene.value = await askScene({ document: id, fold: fold.peek() || undefined });
    look();
  } finally {
    clearInterval(watching);
    busy.value = "";
  }
});

export const opened = signal([]);  // vertices whose groups are open

export const refold = guarded(async (how, { open = null } = {}) => {
  busy.value = "folding …";
  try {
    const now = open === null ? [] : [...opened.peek(), open];
    const made = await askScene({ document: facts.peek().id, fold: how || undefined, open: now.join(".") || undefined, centre: selected.peek() ?? undefined });
    opened.value = now;
    fold.value = how;
    scene.value = made;
  } finally {
    busy.value = "";
  }
});
