// The graph: a canvas that follows the scene, the marks and the tints, and takes mouse, wheel, touch and keys.
import { palette, readColours } from "./colours.js";
import { draw } from "./drawing.js";
import { Camera, Grid, bounds } from "./geometry.js";
import { effect, h } from "./reactive.js";
import { details, facts, fold, goalAt, hovered, leftAt, marks, refold, scene, select, selected, tints } from "./store.js";

export class Graph {
  camera = new Camera();
  canvas = h("canvas", { tabindex: 0, role: "application", class: "graph",
    "aria-label": "The game as a graph. Arrow keys move, plus and minus zoom, N and P go through the moves of the selected state, Enter follows." });
  pen = this.canvas.getContext("2d", { alpha: false });
  frames = [];  // when frames were drawn, for whoever measures
  move = -1;

  constructor() {
    readColours();
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); this.redraw(); });
    effect(() => this.take(scene.value));
    effect(() => { [marks.value, tints.value, selected.value, hovered.value, goalAt.value, leftAt.value]; this.remark(); });
    this.listen();
  }

  take(made) {
    if (!made || made === this.scene) return;
    const asked = performance.now();
    this.scene = made;
    this.grid = new Grid(made);
    this.nodes = made.x.length;
    this.arrowOf = new Map();
    this.leaving = new Map();
    for (let at = 0; at < made.source.length; at++) {
      const from = made.source[at];
      this.arrowOf.set(from * this.nodes + made.target[at], at);
      if (!this.leaving.has(from)) this.leaving.set(from, []);
      this.leaving.get(from).push(at);
    }
    this.remark();
    this.fit();
    this.paint();
    this.drawnIn = performance.now() - asked;
  }

  node(vertex) { return vertex === null || vertex === undefined ? -1 : this.scene?.nodeOf[vertex] ?? -1; }

  arrow(source, target) { return this.arrowOf.get(this.node(source) * this.nodes + this.node(target)); }

  remark() {
    if (!this.scene) return;
    const { vertices, edges, dim } = marks.peek(), shade = tints.peek();
    this.nodeMarks = new Map();
    this.underMarks = new Map();  // what is marked and selected too
    this.arrowMarks = new Map();
    for (const [vertex, style] of vertices) if (this.node(vertex) >= 0) this.nodeMarks.set(this.node(vertex), style);
    for (const [pair, style] of edges) {
      const found = this.arrow(...pair.split(" ").map(Number));
      if (found !== undefined) this.arrowMarks.set(found, style);
    }
    for (const [vertex, style] of [[selected.peek(), "selected"], [hovered.peek(), "hover"]])
      if (this.node(vertex) >= 0) this.ring(this.node(vertex), style);
    for (const node of [this.node(selected.peek()), this.node(hovered.peek())])
      for (const arrow of this.leaving.get(node) ?? []) if (!this.arrowMarks.has(arrow)) this.arrowMarks.set(arrow, "hover");
    this.goals = new Set();
    for (const vertex of goalAt.peek()) if (this.scene.kind[this.node(vertex)] !== 3) this.goals.add(this.node(vertex));
    const left = leftAt.peek(), at = this.node(left?.vertex);
    this.left = at >= 0 ? { node: at, label: left.label } : null;
    this.dim = dim;
    this.tinted = shade ? shade.steps(this.scene) : null;
    this.redraw();
  }

  // A ring goes around what the node was marked by before.
  ring(node, style) {
    if (this.nodeMarks.has(node) && !this.underMarks.has(node)) this.underMarks.set(node, this.nodeMarks.get(node));
    this.nodeMarks.set(node, style);
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas, ratio = Math.min(2, devicePixelRatio || 1);
    const first = this.camera.width <= 1;
    this.ratio = ratio;
    this.canvas.width = Math.max(1, clientWidth * ratio);
    this.canvas.height = Math.max(1, clientHeight * ratio);
    this.camera.width = clientWidth;
    this.camera.height = clientHeight;
    if (first && this.scene) this.fit();
    this.paint();
  }

  redraw() {
    if (!this.waiting) this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  paint() {
    if (!this.scene) {
      this.pen.fillStyle = palette.paper;
      this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    }
    if (!this.scene || this.camera.width <= 1) return;
    const { camera, ratio, nodeMarks, underMarks, arrowMarks, goals, left, dim, tinted } = this;
    this.seen = draw(this.pen, this.scene, { camera, ratio, nodeMarks, underMarks, arrowMarks, goals, left, dim, tinted, plain: this.dragging && this.nodes > 3000 });
    this.frames.push(performance.now());
    if (this.frames.length > 300) this.frames.shift();
  }

  fit() {
    this.camera.fit(bounds(this.scene));
    if (this.camera.scale < 0.7) {  // too small to read: begin where play begins
      const start = Math.max(0, this.scene.flags.findIndex(flags => flags & 2));
      if (this.scene.drawn.length) {
        this.camera.scale = 0.8;
        this.camera.x = this.scene.x[start] + this.camera.width * 0.32 / this.camera.scale * (this.scene.rightwards === false ? 0 : 1);
        this.camera.y = this.scene.y[start] + this.camera.height * 0.32 / this.camera.scale * (this.scene.rightwards === false ? 1 : 0);
      }
    }
    this.redraw();
  }

  // Bring a vertex into view; one that is near the middle stays where it is.
  show(vertex) {
    const node = this.node(vertex);
    if (node < 0) return;
    const { camera } = this, [x, y] = camera.toScreen(this.scene.x[node], this.scene.y[node]);
    if (camera.scale < 0.4) camera.scale = 0.8;
    else if (x > 60 && y > 60 && x < camera.width - 60 && y < camera.height - 60) return this.redraw();
    camera.x = this.scene.x[node];
    camera.y = this.scene.y[node];
    this.redraw();
  }

  spot(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  nodeAt(event) { return this.grid ? this.grid.at(...this.camera.toWorld(...this.spot(event))) : -1; }

  listen() {
    const { canvas, camera } = this;
    let held = null, moved = false;
    canvas.addEventListener("pointerdown", event => {
      held = this.spot(event);
      moved = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", event => {
      const here = this.spot(event);
      if (!held) {
        const node = this.nodeAt(event);
        canvas.style.cursor = node >= 0 ? "pointer" : "grab";
        hovered.value = node >= 0 && this.scene.kind[node] !== 3 ? this.scene.vertex[node] : null;
        return;
      }
      const [dx, dy] = [here[0] - held[0], here[1] - held[1]];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = this.dragging = true;
      camera.x -= dx / camera.scale;
      camera.y -= dy / camera.scale;
      held = here;
      this.redraw();
    });
    canvas.addEventListener("pointerup", event => {
      if (held && !moved) this.click(event);
      held = null;
      this.dragging = false;
      this.redraw();
    });
    canvas.addEventListener("pointerleave", () => { if (!held) hovered.value = null; });
    canvas.addEventListener("wheel", event => {
      event.preventDefault();
      camera.zoomAt(...this.spot(event), Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)));
      this.redraw();
    }, { passive: false });
    canvas.addEventListener("keydown", event => this.key(event));
  }

  click(event) {
    const node = this.nodeAt(event);
    if (node < 0) return select(null);
    if (this.scene.kind[node] === 3) return refold(fold.peek(), { open: this.scene.vertex[node] });
    return select(this.scene.vertex[node]);
  }

  key(event) {
    const { camera } = this, step = 80 / camera.scale, middle = [camera.width / 2, camera.height / 2];
    const keys = {
      ArrowLeft: () => { camera.x -= step; }, ArrowRight: () => { camera.x += step; },
      ArrowUp: () => { camera.y -= step; }, ArrowDown: () => { camera.y += step; },
      "+": () => camera.zoomAt(...middle, 1.3), "=": () => camera.zoomAt(...middle, 1.3),
      "-": () => camera.zoomAt(...middle, 1 / 1.3), 0: () => this.fit(),
      n: () => this.step(1), p: () => this.step(-1), Enter: () => this.follow(), Escape: () => select(null),
      Home: () => { select(facts.peek().initial); this.show(facts.peek().initial); },
    };
    if (!keys[event.key] || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
    this.redraw();
  }

  // Go through the moves of the selected state; the one it stands at is lit.
  step(way) {
    const moves = details.peek()?.moves ?? [];
    if (!moves.length) return;
    this.move = (this.move + way + moves.length) % moves.length;
    hovered.value = moves[this.move].target;
  }

  follow() {
    const move = details.peek()?.moves[this.move];
    if (!move) return;
    this.move = -1;
    select(move.target);
    this.show(move.target);
  }
}
