"use strict";

// A trace: a click on a run of the tree shows it beside the tree, which stays as it is. Without this script, or when it can't, the browser
// loads the page with that run.
const bench = document.querySelector(".workbench");
const chosen = document.getElementById("chosen");
const runOf = (address) => new URL(address).searchParams.get("run");
let shown = location.search;

// choose shows the run that the address of the page selects. Its row comes into view if it isn't.
async function choose() {
  const { search } = location;
  const url = new URL(location.href);
  url.searchParams.set("part", "chosen");
  shown = search;
  chosen.setAttribute("aria-busy", "true");
  try {
    const { status, page } = await load(url);
    if (shown !== search) {
      return; // Another run was chosen meanwhile.
    }
    put(page);
    const row = status === 200 ? document.querySelector(`${chosen.querySelector(".to-tree a").hash} > .row`) : null;
    const before = bench.querySelector(".row.chosen");
    before?.classList.remove("chosen");
    before?.querySelector(".what a").removeAttribute("aria-current");
    row.classList.add("chosen");
    row.querySelector(".what a").setAttribute("aria-current", "true");
    for (let above = row.closest("details"); above; above = above.parentElement.closest("details")) {
      above.open = true;
    }
    row.scrollIntoView({ block: "nearest" });
    chosen.scrollTop = 0;
    if (matchMedia("(max-width: 63.99rem)").matches) {
      chosen.scrollIntoView();
    }
    chosen.removeAttribute("aria-busy");
    document.querySelector("[data-chosen]").textContent = `Selected run: ${chosen.querySelector("h2").textContent}`;
  } catch {
    location.reload(); // The page says what is wrong, or has the row.
  }
}

bench.addEventListener("click", async (event) => {
  const link = event.target.closest("a[href]");
  if (link?.pathname !== location.pathname || link.getAttribute("href").startsWith("#")) {
    return;
  }
  const run = runOf(link.href);
  const url = new URL(link.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (value && (run ? !url.searchParams.has(name) : name === "run")) {
      url.searchParams.set(name, value); // Another run keeps the order and the part of the tree, and those keep the run.
    }
  }
  link.href = url;
  if (!run || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) {
    return;
  }
  event.preventDefault();
  history.pushState(null, "", url);
  if (link.closest("[data-part=errors]")) { // Keys go on from the row of the error.
    document.getElementById("run-" + run)?.querySelector(".what a").focus();
  }
  const inside = chosen.contains(link);
  await choose();
  if (inside) {
    chosen.querySelector("h2").focus();
  }
});

addEventListener("popstate", () => {
  if (shown !== location.search) {
    choose();
  }
});

// The row of the selected run is in view from the beginning.
if (runOf(location.href)) {
  bench.querySelector(".row.chosen")?.scrollIntoView({ block: "center" });
}
