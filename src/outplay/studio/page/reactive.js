// A small reactive helper: signals, effects that follow them, and elements made of text and attributes only.
let running = null;

export function signal(value) {
  const readers = new Set();
  return {
    get value() {
      if (running) { readers.add(running); running.read.add(readers); }
      return value;
    },
    set value(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const reader of [...readers]) reader.run();
    },
    peek: () => value,
  };
}

export function effect(work) {
  const me = {
    read: new Set(),
    run() {
      me.stop();
      const before = running;
      running = me;
      try { work(); } finally { running = before; }
    },
    stop() {
      for (const readers of me.read) readers.delete(me);
      me.read.clear();
    },
  };
  me.run();
  return () => me.stop();
}

export function computed(find) {
  const made = signal(undefined);
  effect(() => { made.value = find(); });
  return made;
}

// Make an element. Children are elements, texts, lists or nothing; no text is ever read as markup.
export function h(kind, options = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

// Show what a function makes of signals in an element, again whenever one of them changes.
export function shows(element, make) {
  effect(() => {
    const made = make();
    element.replaceChildren(...[made].flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  });
  return element;
}

// One part of what a signal holds: made anew only when its own piece of it changes, so that a button that is being
// pressed, a box with text in it and the focus stay while news come in.
export function part(source, piece, make) {
  const key = computed(() => JSON.stringify(source.value ? piece(source.value) ?? null : null));
  return shows(h("div"), () => [key.value, source.peek() ? make(source.peek()) : null][1]);
}
