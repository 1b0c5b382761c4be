"use strict";

// A trace: a click on a run of the tree shows it beside the tree, which stays as it is. Without this script, or when it can't, the browser
// loads the page with that run.
const bench = document.querySelector(".workbench");
const chosen = document.getElementById("chosen");
const narrow = matchMedia("(max-width: 63.99rem)");
let shown = location.href;
let asked = new AbortController();

// runOf returns the run that an address on this page selects; empty if it is on another page.
function runOf(address) {
  const url = new URL(address, location.href);
  return url.origin === location.origin && url.pathname === location.pathname ? url.searchParams.get("run") ?? "" : "";
}

// markRow marks the row of a run, and unfolds what is above it if it has to be visible.
function markRow(id, visible) {
  for (const row of bench.querySelectorAll(".row.chosen")) {
    row.classList.remove("chosen");
    row.querySelector("[aria-current]")?.removeAttribute("aria-current");
  }
  const row = document.getElementById("run-" + id)?.querySelector(".row");
  if (!row) {
    return;
  }
  row.classList.add("chosen");
  row.querySelector(".what a")?.setAttribute("aria-current", "true");
  for (let above = visible && row.parentElement.closest("details"); above; above = above.parentElement.closest("details")) {
    above.open = true;
  }
}

// center scrolls the tree to a row unless it is in view.
function center(row) {
  const pane = bench.querySelector(narrow.matches ? ".waterfall" : ".tree-pane");
  const box = row.getBoundingClientRect();
  const within = pane.getBoundingClientRect();
  const top = Math.max(0, within.top);
  const bottom = Math.min(innerHeight, within.bottom);
  if (box.top < top || box.bottom > bottom) {
    pane.scrollTop += (box.top + box.bottom) / 2 - (top + bottom) / 2;
  }
}

// show replaces the selected run by that of an address on this page. It returns false if the page has to be loaded.
async function show(address, quiet) {
  const url = new URL(address, location.href);
  url.hash = "";
  url.searchParams.set("part", "chosen");
  asked.abort();
  asked = new AbortController();
  chosen.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url, { signal: asked.signal });
    if (!response.ok) {
      return false;
    }
    const page = document.createElement("template");
    page.innerHTML = await response.text(); // It is escaped, and the policy of the page lets nothing in it run.
    for (const part of page.content.querySelectorAll("[data-part]")) {
      const place = bench.querySelector(`[data-part="${part.dataset.part}"]`);
      place.replaceChildren(...part.childNodes);
      place.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
    }
    if (!quiet) {
      markRow(runOf(address), true);
      center(bench.querySelector(".row.chosen"));
      chosen.scrollTop = 0;
      const name = chosen.querySelector("h2")?.textContent ?? "";
      document.querySelector("[data-chosen]").textContent = `Selected run: ${name}`;
    }
    return true;
  } catch (error) {
    return error.name === "AbortError"; // Another run was chosen meanwhile.
  } finally {
    chosen.removeAttribute("aria-busy");
  }
}

// choose goes to a run. Its row comes into view if it isn't.
async function choose(address, push) {
  if (push) {
    history.pushState(null, "", address);
  }
  const command = document.querySelector("footer [data-copy]");
  const before = new URL(shown);
  shown = location.href;
  if (command) {
    command.textContent = command.textContent.replace(before.pathname + before.search, location.pathname + location.search);
  }
  if (!document.getElementById("run-" + runOf(address)) || !(await show(address))) {
    location.reload();
    return;
  }
  if (narrow.matches) {
    chosen.scrollIntoView();
  }
}

bench?.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  const same = link && new URL(link.href).pathname === location.pathname && !link.getAttribute("href").startsWith("#");
  if (same && !runOf(link.href) && runOf(location.href)) {
    const url = new URL(link.href); // Another order or part of the tree keeps the run that was selected meanwhile.
    url.searchParams.set("run", runOf(location.href));
    link.href = url;
    return;
  }
  const other = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || other || link.target || !runOf(link.href) || link.getAttribute("href").startsWith("#")) {
    return;
  }
  event.preventDefault();
  const inside = chosen.contains(link);
  const address = new URL(link.href);
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (value && !address.searchParams.has(name)) {
      address.searchParams.set(name, value); // The tree stays as it is.
    }
  }
  if (link.closest("[data-part=errors]")) { // Keys go on from the row of the error.
    document.getElementById("run-" + runOf(link.href))?.querySelector(".row .what a")?.focus();
  }
  choose(address.href, true).then(() => inside && chosen.querySelector("h2")?.focus());
});

addEventListener("popstate", () => {
  if (bench && new URL(shown).search !== location.search) {
    const root = bench.querySelector(".row .what a");
    choose(runOf(location.href) ? location.href : root?.href ?? location.href, false);
  }
});

// Trees that grow stay as folded as they were. What else has changed is shown in its place.
const foldedRuns = new Set();
bench?.addEventListener("toggle", ({ target }) => {
  const run = target.matches(".tree details") ? target.parentElement.id : "";
  if (run && target.open) {
    foldedRuns.delete(run);
  } else if (run) {
    foldedRuns.add(run);
  }
}, true);

bench?.addEventListener("replaced", ({ target }) => {
  if (!target.matches("[data-live-id]")) {
    return;
  }
  for (const run of foldedRuns) {
    document.getElementById(run)?.querySelector(":scope > details")?.removeAttribute("open");
  }
  for (const part of target.querySelectorAll("[data-moved]")) {
    document.querySelector(`[data-part="${part.dataset.moved}"]`)?.replaceChildren(...part.childNodes);
  }
  markRow(runOf(location.href) || bench.querySelector(".tree > li")?.id.slice("run-".length), false);
  if (chosen.querySelector("[data-pending]")) {
    show(location.href, true);
  }
});

// A part of the time can also be drawn on the map.
let drawn = null;
bench?.addEventListener("dragstart", (event) => event.target.closest(".map") && event.preventDefault());
bench?.addEventListener("pointerdown", (event) => {
  drawn = event.target.closest(".map ul") ? event.clientX : null;
});
bench?.addEventListener("pointerup", (event) => {
  const map = event.target.closest(".map");
  const from = drawn;
  drawn = null;
  if (!map || from === null || Math.abs(event.clientX - from) < 5) {
    return;
  }
  const box = map.getBoundingClientRect();
  const at = (x) => Math.round((map.dataset.length * Math.max(0, Math.min(box.width, x - box.left))) / box.width);
  const url = new URL(location.href);
  url.hash = "tree";
  url.searchParams.set("zoom", `${at(Math.min(from, event.clientX))}-${at(Math.max(from, event.clientX))}`);
  map.addEventListener("click", (click) => click.preventDefault(), { once: true });
  location.assign(url);
});

// A message that was folded is loaded when it is opened. Without this script, a link leads to it.
document.addEventListener("toggle", async ({ target }) => {
  const place = target.open ? target.querySelector(":scope > [data-loaded]") : null;
  if (!place || !target.dataset.load) {
    return;
  }
  const url = new URL(target.dataset.load, location.href);
  url.searchParams.set("part", "message");
  try {
    const response = url.origin === location.origin ? await fetch(url) : null;
    if (response?.ok) {
      const message = document.createElement("div");
      message.innerHTML = await response.text(); // As above.
      place.replaceWith(message);
      message.dispatchEvent(new CustomEvent("replaced", { bubbles: true }));
    }
  } catch {
    // The link remains.
  }
}, true);

// The row of the selected run is in view from the beginning.
if (bench?.querySelector(".row.chosen") && runOf(location.href)) {
  if (!location.hash) {
    bench.scrollIntoView();
  }
  center(bench.querySelector(".row.chosen"));
}
