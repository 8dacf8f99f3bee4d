// Search: every rule and word has its text in data-find; sections without a match go away.
const box = document.getElementById("find");
const count = document.getElementById("count");
const none = document.getElementById("none");
const items = [...document.querySelectorAll("[data-find]")];
const sections = [...document.querySelectorAll("main section")];

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const item of items) {
    const fits = words.every((word) => item.dataset.find.includes(word));
    item.hidden = !fits;
    shown += fits;
  }
  for (const section of sections) {
    section.hidden = !section.querySelector("[data-find]:not([hidden])");
  }
  none.hidden = shown > 0;
  count.textContent = words.length ? `${shown} of ${items.length}` : `${items.length}`;
}

// Languages: a box each; what is unchecked is hidden everywhere.
const style = document.createElement("style");
document.head.append(style);
const boxes = [...document.querySelectorAll("[data-language]")];
function choose() {
  const off = boxes.filter((one) => !one.checked).map((one) => `[lang="${one.dataset.language}"]`);
  style.textContent = off.length ? `main :is(${off.join(",")}) { display: none; }` : "";
}

box.addEventListener("input", search);
for (const one of boxes) one.addEventListener("change", choose);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
  }
});
search();
choose();
document.documentElement.dataset.ready = "yes";
