// Editing the model: errors where they are, the graph following, nothing saved unless asked.
import { act, ask } from "./asking.js";
import { effect, h, shows, signal } from "./reactive.js";
import { showDocument } from "./open_panel.js";
import { documents, facts, guarded, panel } from "./store.js";

const source = signal(null);  // {document, name, text}
const wrong = signal(null);
const state = signal("");
const lines = signal(1);
let typed = 0, following = "";

export function editPanel() {
  const text = h("textarea", { spellcheck: "false", autocomplete: "off", wrap: "off", "aria-label": "The model program", oninput: () => changed(), onscroll: () => { gutter.scrollTop = text.scrollTop; },
    onkeydown: event => {
      if (event.key === "Tab" && !event.shiftKey) { event.preventDefault(); text.setRangeText("    ", text.selectionStart, text.selectionEnd, "end"); changed(); }
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); save(); }
    } });
  const gutter = shows(h("pre", { class: "gutter", "aria-hidden": "true" }), () => Array.from({ length: lines.value }, (_, at) =>
    h("span", { class: wrong.value?.line === at + 1 ? "wrong" : "" }, `${at + 1}\n`)));

  const load = guarded(async () => {
    const id = facts.peek()?.id;
    if (!id || panel.peek() !== "edit" || following === id && source.peek()) return;
    source.value = null;
    const found = await ask("source", { document: id });
    following = id;
    source.value = { ...found, document: id };
    text.value = found.text;
    wrong.value = null;
    state.value = "";
    lines.value = found.text.split("\n").length;
  });
  effect(() => { [facts.value, panel.value]; load(); });

  function changed() {
    lines.value = text.value.split("\n").length;
    const mine = ++typed;
    state.value = "…";
    setTimeout(() => { if (mine === typed) check(mine); }, 300);
  }

  const check = guarded(async mine => {
    const found = await act("draft", { document: source.peek().document, text: text.value });
    if (mine !== typed) return;
    if (found.error) {
      wrong.value = found;
      state.value = "";
      return;
    }
    wrong.value = null;
    state.value = text.value === source.peek().text ? "as saved" : "not saved";
    following = found.id;  // the graph follows the draft, and the text stays
    await showDocument(found.id);
  });

  const save = guarded(async () => {
    const now = text.value;
    await act("save", { document: source.peek().document, text: now, before: source.peek().text });
    source.value = { ...source.peek(), text: now };
    state.value = "saved";
  });
  addEventListener("beforeunload", event => { if (source.peek() && text.value !== source.peek().text) event.preventDefault(); });

  const goTo = line => {
    const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(before, before);
    text.scrollTop = Math.max(0, (line - 6) * 18);
  };
  return h("div", { class: "edit" }, h("p", { class: "controls" }, shows(h("strong"), () => source.value?.name ?? ""), shows(h("span", { class: "faint", role: "status" }), () => state.value), h("span", { class: "space" }),
    shows(h("span"), () => h("button", { class: "main", disabled: state.value !== "not saved", onclick: save }, "Save"))),
    shows(h("div"), () => wrong.value ? h("button", { class: "error", onclick: () => wrong.value.line && goTo(wrong.value.line) }, wrong.value.error) : null),
    h("div", { class: "editor" }, gutter, text));
}
