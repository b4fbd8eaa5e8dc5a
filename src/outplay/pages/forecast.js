const body = document.querySelector("tbody"), rows = [...body.rows];
const chips = [...document.querySelectorAll("[data-is]")];
const search = document.querySelector("input"), shown = document.querySelector("output");
function filter() {
  const words = search.value.toLowerCase(), on = group => chips.filter(c => c.dataset.of === group
    && c.getAttribute("aria-pressed") === "true").map(c => c.dataset.is);
  const kinds = on("kind"), classes = on("class");
  let count = 0;
  for (const row of rows) {
    row.hidden = !(kinds.length === 0 || kinds.includes(row.dataset.kind))
      || !(classes.length === 0 || classes.includes(row.className)) || !row.textContent.toLowerCase().includes(words);
    count += !row.hidden;
  }
  shown.value = count + " of " + rows.length + " targets";
}
function sort(head, column) {
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
  const compare = (a, b) => isNaN(key(a)) || isNaN(key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b);
  rows.sort((a, b) => down ? compare(b, a) : compare(a, b));
  body.append(...rows);
}
search.addEventListener("input", filter);
chips.forEach(chip => chip.addEventListener("click", () => {
  chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") !== "true");
  filter();
}));
document.querySelectorAll("th").forEach((head, column) =>
  head.firstElementChild.addEventListener("click", () => sort(head, column)));
filter();
